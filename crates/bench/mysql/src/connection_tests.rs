//! A server that answers every statement with more than anybody asks for.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use tpcc::{SqlSession, Statement};

use super::Connection;
use crate::SqlTarget;

/// Length of the one value of a row.
const VALUE: usize = 60_000;
/// Rows of every answer: four times what may be answered.
const ROWS: usize = 4 * (64 << 20) / VALUE;

/// Sends one packet: three bytes of length, its number, what it holds (MySQL's protocol, "MySQL Packets").
fn packet(stream: &mut TcpStream, number: u8, body: &[u8]) -> std::io::Result<()> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    stream.write_all(&[length[0], length[1], length[2], number])?;
    stream.write_all(body)
}

fn heard(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    stream.read_exact(&mut body)?;
    Ok(body)
}

/// "Protocol::HandshakeV10", with the capabilities of protocol 4.1, of its authentication and of plugins.
fn greeting() -> Vec<u8> {
    let capabilities: u32 = 0x0000_0200 | 0x0000_8000 | 0x0008_0000;
    let (low, high) = (capabilities as u16, (capabilities >> 16) as u16);
    let mut body = b"\x0a8.0.36\0".to_vec();
    body.extend(7u32.to_le_bytes());
    body.extend(b"abcdefgh\0");
    body.extend(low.to_le_bytes());
    body.extend([45, 2, 0]);
    body.extend(high.to_le_bytes());
    body.push(21);
    body.extend([0; 10]);
    body.extend(b"ijklmnopqrst\0mysql_native_password\0");
    body
}

/// "Protocol::ColumnDefinition41": a text of that name.
fn column() -> Vec<u8> {
    let mut body = Vec::new();
    for text in ["def", "s", "t", "t", "c", "c"] {
        body.push(text.len() as u8);
        body.extend(text.as_bytes());
    }
    body.extend([12, 45, 0, 0, 0, 1, 0, 253, 0, 0, 0, 0, 0]);
    body
}

const OKAY: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
const END: &[u8] = &[0xfe, 0, 0, 2, 0];

fn answer(stream: &mut TcpStream, binary: bool) -> std::io::Result<()> {
    packet(stream, 1, &[1])?;
    packet(stream, 2, &column())?;
    packet(stream, 3, END)?;
    // A row of the binary protocol begins with a zero and which values are none.
    let mut row = if binary { vec![0, 0] } else { Vec::new() };
    row.push(0xfc);
    row.extend((VALUE as u16).to_le_bytes());
    row.resize(row.len() + VALUE, b'x');
    for number in 0..ROWS {
        packet(stream, (4 + number) as u8, &row)?;
    }
    packet(stream, (4 + ROWS) as u8, END)
}

/// Greets, lets in, and answers whatever is asked.
fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    packet(&mut stream, 0, &greeting())?;
    heard(&mut stream)?;
    packet(&mut stream, 2, OKAY)?;
    loop {
        let command = heard(&mut stream)?;
        match command.first() {
            Some(0x03) => answer(&mut stream, false)?,
            Some(0x17) => answer(&mut stream, true)?,
            // One column, no values: "COM_STMT_PREPARE response".
            Some(0x16) => {
                packet(&mut stream, 1, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
                packet(&mut stream, 2, &column())?;
                packet(&mut stream, 3, END)?;
            }
            _ => return Ok(()),
        }
    }
}

fn target() -> SqlTarget {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || drop(serve(stream)));
        }
    });
    SqlTarget::parse(&format!("mysql://u@127.0.0.1:{port}/s")).unwrap()
}

#[test]
fn an_answer_that_is_too_long_is_given_up_with_what_it_has() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let target = target();
        let mut connection = Connection::open(&target, true).await.unwrap();
        let told = connection.text("SHOW TABLES").await.unwrap_err().to_string();
        assert!(told.contains("more than 64 MiB") && told.contains("rows so far"), "{told}");
        let mut connection = Connection::open(&target, true).await.unwrap();
        let told = connection.send(Statement::ALL[0], &[]).await.unwrap_err().to_string();
        assert!(told.contains("more than 64 MiB"), "{told}");
    });
}
