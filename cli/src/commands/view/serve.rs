//! An HTTP server on the loopback interface that creates pages for the files of a folder on demand.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use meshspec::Formats;
use percent_encoding::percent_decode_str;

use super::View;
use super::folder::Folder;
use super::page::{Page, PageMode};
use super::request::{Request, Response};
use crate::failure::{Failure, Result};
use crate::input::{self, text_of};
use crate::terminal::Escaped;

/// The timeout of each read and write on a connection.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of simultaneous connections.
const MAX_CONNECTIONS: usize = 16;
/// The number of random bytes in the token that URLs contain.
const TOKEN_SIZE: usize = 16;

/// Serves the files of a folder at a secret address, which it prints.
pub struct Server<'v> {
    view: &'v View,
    formats: &'v Formats,
    folder: Folder,
    /// The first segment of every path: a secret that other users and pages cannot guess.
    token: String,
    /// The accepted values of the header `Host`. Other values indicate DNS rebinding.
    hosts: [String; 2],
    connections: AtomicUsize,
}

impl<'v> Server<'v> {
    /// Binds a free port, prints the address, and answers requests until the program ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a folder, or no port can be bound.
    pub fn run(view: &'v View, formats: &'v Formats) -> Result<()> {
        let folder =
            Folder::open(&view.file).map_err(|error| Failure::io(&text_of(&view.file), &error))?;
        let failure = |error: io::Error| Failure::io("the loopback interface", &error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failure)?;
        let port = listener.local_addr().map_err(failure)?.port();
        let server = Server {
            view,
            formats,
            folder,
            token: new_token().map_err(failure)?,
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            connections: AtomicUsize::new(0),
        };
        let mut out = io::stdout().lock();
        writeln!(out, "http://127.0.0.1:{port}/{}/", server.token)?;
        out.flush()?;
        drop(out);
        let path = text_of(&view.file);
        // Ignores the error: standard error may be closed.
        let _ = writeln!(
            anstream::stderr(),
            "Serving {} until Ctrl-C",
            Escaped(&path)
        );
        thread::scope(|scope| {
            // Ignores connections that failed.
            for stream in listener.incoming().flatten() {
                let server = &server;
                // Only this thread increases the count. Connections beyond the limit are closed immediately.
                if server.connections.load(Ordering::Relaxed) < MAX_CONNECTIONS {
                    server.connections.fetch_add(1, Ordering::Relaxed);
                    scope.spawn(move || server.handle_connection(stream));
                }
            }
        });
        Ok(())
    }

    fn handle_connection(&self, mut stream: TcpStream) {
        let _guard = ConnectionGuard(&self.connections);
        let response = match Request::read(&mut stream, TIMEOUT) {
            Ok(request) => self.respond(&request),
            Err(_) => Response::text(400, "malformed request"),
        };
        // Ignores the error if the client has disconnected.
        let _ = response.write(&mut stream);
    }

    fn respond(&self, request: &Request) -> Response {
        if !self.hosts.contains(&request.host) {
            return Response::text(403, "unexpected Host header");
        }
        let mut parts = request.path.trim_start_matches('/').splitn(3, '/');
        if parts.next() != Some(&self.token) {
            return Response::text(
                403,
                "the token is missing: use the address that meshspec printed",
            );
        }
        let Some(kind) = parts.next() else {
            return Response::text(404, "not found: the address must end with a slash");
        };
        let name = parts.next().unwrap_or_default();
        let name: Vec<u8> = percent_decode_str(name).collect();
        let Some(name) = input::path_from_bytes(&name) else {
            return not_found();
        };
        match kind {
            "" => self.list_response(),
            "view" => self.page_response(&name),
            "stamp" => self.stamp_response(&name),
            _ => not_found(),
        }
    }

    fn list_response(&self) -> Response {
        match self.folder.page(self.formats) {
            Ok(page) => Response::html(page.into_bytes()),
            Err(error) => Response::text(500, &error.to_string()),
        }
    }

    fn page_response(&self, name: &Path) -> Response {
        let Ok(path) = self.folder.locate(name) else {
            return not_found();
        };
        let mut html = Vec::new();
        let content = self.view.read_content(&path, self.formats);
        let content = content.or_else(|failure| {
            self.view
                .undecoded_content(&path, failure.message(), self.formats)
        });
        match content {
            Ok(content) => match Page::of(content).write(PageMode::Served, &mut html) {
                Ok(()) => Response::html(html),
                Err(error) => Response::text(500, &error.to_string()),
            },
            Err(failure) => Response::text(500, failure.message()),
        }
    }

    /// Returns the size and modification time of a file, which the page compares to detect changes.
    fn stamp_response(&self, name: &Path) -> Response {
        let metadata = self.folder.locate(name).and_then(|path| path.metadata());
        let Ok(metadata) = metadata else {
            return not_found();
        };
        let time = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Response::text(
            200,
            &format!("{} {}", metadata.len(), time.unwrap_or_default().as_nanos()),
        )
    }
}

/// Decreases the number of connections on drop, even if the thread panics.
struct ConnectionGuard<'c>(&'c AtomicUsize);

impl Drop for ConnectionGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn not_found() -> Response {
    Response::text(404, "no such file")
}

fn new_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_SIZE];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
