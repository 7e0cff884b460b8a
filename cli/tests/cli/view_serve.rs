//! `meshspec view --serve`: accepted and rejected requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::files::{Folder, Run, triangle};

/// A server for a folder, stopped on drop.
struct Server {
    child: Child,
    port: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn of(folder: &Folder, path: &str) -> Server {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("meshspec"))
            .args(["view", "--serve"])
            .arg(folder.path(path))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let (port, token) = address
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .unwrap()
            .split_once('/')
            .unwrap();
        Server {
            child,
            port: port.to_owned(),
            token: token.trim_end_matches('/').to_owned(),
        }
    }

    /// Sends raw bytes.
    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        // The server may close the connection before it has read everything.
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }

    /// Returns status and body for a path below the token.
    fn get(&self, path: &str) -> (u16, String) {
        let Server { port, token, .. } = self;
        status(&self.send(&format!(
            "GET /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        )))
    }
}

fn status(response: &str) -> (u16, String) {
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or_default();
    let code = head
        .strip_prefix("HTTP/1.1 ")
        .and_then(|head| head.get(..3))
        .unwrap_or("0");
    (code.parse().unwrap(), body.to_owned())
}

fn served() -> (Folder, Server) {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("models/below")).unwrap();
    folder.put_mesh("models/a.mesh", &triangle());
    folder.put_mesh("models/below/b <i>.mesh", &triangle());
    folder.put_mesh("secret.mesh", &triangle());
    let server = Server::of(&folder, "models");
    (folder, server)
}

#[test]
fn the_files_of_a_folder_are_served() {
    let (folder, server) = served();
    let (code, list) = server.get("");
    assert_eq!(code, 200);
    assert!(
        list.contains("<a href=\"view/a.mesh\">a.mesh</a>"),
        "{list}"
    );
    assert!(
        list.contains("<a href=\"view/below/b%20%3Ci%3E.mesh\">below/b &lt;i&gt;.mesh</a>"),
        "{list}"
    );
    let (code, page) = server.get("view/below/b%20%3Ci%3E.mesh");
    assert!(
        code == 200 && page.contains("connect-src 'self'") && page.contains("id=\"data\""),
        "{code}"
    );
    let (_, before) = server.get("stamp/a.mesh");
    folder.put("models/a.mesh", "no mesh at all");
    let (code, after) = server.get("stamp/a.mesh");
    assert!(code == 200 && before != after, "{before} {after}");
    // A malformed or incomplete file: shows its bytes and the error.
    let (code, page) = server.get("view/a.mesh");
    assert!(code == 200 && page.contains("SEED-IDENTIFIER"), "{code}");
}

#[test]
fn other_hosts_and_missing_tokens_are_rejected() {
    let (_folder, server) = served();
    let Server { port, token, .. } = &server;
    let rejected = |request: String| {
        let (code, body) = status(&server.send(&request));
        assert_eq!(code, 403, "{request}: {body}");
        assert!(!body.contains("a.mesh"), "{body}");
    };
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "",
    ] {
        rejected(format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    }
    for path in [
        "/",
        "/view/a.mesh",
        "/0123456789abcdef0123456789abcdef/",
        &format!("/{}", &token[1..]),
    ] {
        rejected(format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        ));
    }
    // Links in the list are relative to its address.
    let (code, _) = status(&server.send(&format!(
        "GET /{token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    )));
    assert_eq!(code, 404);
    assert_eq!(token.len(), 32);
    let (_other, another) = served();
    assert_ne!(another.token, *token);
}

#[test]
fn malformed_requests_are_rejected() {
    let (_folder, server) = served();
    let Server { port, token, .. } = &server;
    let host = format!("Host: 127.0.0.1:{port}");
    for request in [
        format!("POST /{token}/ HTTP/1.1\r\n{host}\r\n\r\n"),
        format!("GET /{token}/ HTTP/1.1\r\n\r\n"),
        format!("GET /{token}/ HTTP/1.1\r\n{host}\r\n{host}\r\n\r\n"),
        format!("GET http://127.0.0.1:{port}/{token}/ HTTP/1.1\r\n{host}\r\n\r\n"),
        format!(
            "GET /{token}/ HTTP/1.1\r\n{host}\r\nX: {}\r\n\r\n",
            "x".repeat(9000)
        ),
        "\r\n\r\n".to_owned(),
    ] {
        let (code, body) = status(&server.send(&request));
        // The connection may close while a long request is still being sent.
        assert!(
            code == 400 || code == 0 && request.len() > 8192,
            "{request}: {code} {body}"
        );
    }
    assert_eq!(server.get("").0, 200);
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let (folder, server) = served();
    #[cfg(unix)]
    {
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(folder.path(target), folder.path(name)).unwrap();
        };
        link("secret.mesh", "models/out.mesh");
        link(".", "models/up");
        link("models/a.mesh", "models/in.mesh");
    }
    let absolute = folder.path("secret.mesh").display().to_string();
    for path in [
        "../secret.mesh",
        "..%2fsecret.mesh",
        "%2e%2e/secret.mesh",
        "below/../../secret.mesh",
        "below/../a.mesh",
        "out.mesh",
        "up/secret.mesh",
        "a.mesh%00",
        "below",
        "%ff",
        &absolute,
        &absolute.replace('/', "%2f"),
        "",
    ] {
        for what in ["view", "stamp"] {
            let (code, body) = server.get(&format!("{what}/{path}"));
            assert_eq!(code, 404, "{what}/{path}: {body}");
        }
    }
    // A link within the folder is followed.
    #[cfg(unix)]
    assert_eq!(server.get("view/in.mesh").0, 200);
}

#[test]
fn only_folders_are_served() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    // A server would run forever.
    let run = |arguments: &str| {
        Run::of(
            folder
                .command()
                .timeout(Duration::from_secs(20))
                .args(arguments.split(' ')),
        )
    };
    assert!(run("view --serve a.mesh").fails(3).contains("a.mesh"));
    assert!(run("view --serve missing").fails(3).contains("missing"));
    assert!(
        run("view --serve . --out a.html")
            .fails(2)
            .contains("--out")
    );
}
