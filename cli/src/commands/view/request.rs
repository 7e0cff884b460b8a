//! Minimal HTTP: GET requests without a body, one per connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The maximum size of a request head in bytes.
const MAX_HEAD_SIZE: usize = 8 << 10;

pub struct Request {
    /// The path, percent-encoded, without the query.
    pub path: String,
    /// The value of the header `Host`, in lower case.
    pub host: String,
}

impl Request {
    /// Reads the head of a request.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is not a GET request with exactly one `Host` header, exceeds 8 KiB, or times
    /// out.
    pub fn read(stream: &mut TcpStream, timeout: Duration) -> io::Result<Request> {
        stream.set_read_timeout(Some(timeout))?;
        stream.set_write_timeout(Some(timeout))?;
        let mut head = Vec::new();
        let mut buffer = [0; 1024];
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut buffer)?;
            head.extend_from_slice(&buffer[..count]);
            if count == 0 || head.len() > MAX_HEAD_SIZE {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        Request::parse(&head).ok_or_else(|| ErrorKind::InvalidData.into())
    }

    fn parse(head: &[u8]) -> Option<Request> {
        let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (Some("GET"), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
            (first.next(), first.next(), first.next(), first.next())
        else {
            return None;
        };
        let headers = lines.filter_map(|line| line.split_once(':'));
        let mut hosts = headers.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
        let host = hosts
            .next()
            .map(|(_, value)| value.trim().to_ascii_lowercase())?;
        let path = target.split('?').next().unwrap_or_default();
        (path.starts_with('/') && hosts.next().is_none()).then(|| Request {
            path: path.to_owned(),
            host,
        })
    }
}

pub struct Response {
    status: u16,
    content_type: &'static str,
    body: Vec<u8>,
}

impl Response {
    pub fn html(body: Vec<u8>) -> Response {
        Response {
            status: 200,
            content_type: "text/html; charset=utf-8",
            body,
        }
    }

    pub fn text(status: u16, message: &str) -> Response {
        let body = format!("{message}\n").into_bytes();
        Response {
            status,
            content_type: "text/plain; charset=utf-8",
            body,
        }
    }

    /// Writes the response, with headers that forbid caching and embedding in other pages.
    ///
    /// # Errors
    ///
    /// Returns an error if the client has disconnected or does not read in time.
    pub fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            _ => "Internal Server Error",
        };
        write!(
            stream,
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len(),
        )?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}
