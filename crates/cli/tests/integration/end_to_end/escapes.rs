//! Names that would act on a terminal, or turn text around: shown as what they are, wherever they come from.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use crate::end_to_end::common::{Run, command, json, read, run};

/// Sets a terminal's title, colours what follows (C0 and C1), turns the rest of the line around.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}32m\u{202e}x\u{2066}";

/// Nothing that was said acts on a terminal, and what came with data is seen.
#[track_caller]
fn is_shown(what: &str, said: &str) {
    let acts = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!said.contains(acts), "{what}: {said:?}");
    assert!(said.contains(r"\u{202e}"), "{what} does not show it: {said:?}");
}

/// A server that answers everything with this, for as long as the test lasts.
fn serve(status: &'static str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 8192]);
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
        }
    });
    format!("http://{address}")
}

/// What CloudWatch exported of a volume of that name.
fn export(folder: &Path, volume: &str) -> String {
    let points: Vec<_> = (0..30)
        .map(|minute| {
            serde_json::json!({ "Timestamp": format!("2026-11-01T10:{minute:02}:00Z"), "Sum": 200_000.0, "Unit": "Count" })
        })
        .collect();
    let file = folder.join(format!("{volume}.json"));
    let answer = serde_json::json!({ "Label": "VolumeReadOps", "Datapoints": points });
    std::fs::write(&file, answer.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn labels_and_devices_from_files_do_not_act_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let iostat = folder.path().join("node.txt");
    let device = format!("sd{HOSTILE}");
    let report =
        format!("Device r/s rkB/s w/s wkB/s f/s aqu-sz %util\n{device} 1649 209030 1293 304644 13 5.09 48.37\n\n");
    std::fs::write(&iostat, report.repeat(20)).unwrap();
    let iostat = iostat.to_str().unwrap();
    let export = export(folder.path(), "vol-\u{9b}32m\u{202e}x");
    for args in [
        vec!["diagnose", "export", &export, "--period", "1m", "--disk", "gp3:400GiB"],
        vec!["diagnose", "iostat", iostat, "--interval", "1s"],
        vec!["diagnose", "iostat", iostat, "--interval", "1s", "--watch=10ms", "--times", "2"],
    ] {
        let Run { stdout, stderr, .. } = run(&args);
        is_shown(&format!("{args:?}"), &(stdout + &stderr));
        // JSON keeps the name, and has nothing in it that acts either.
        if !args.contains(&"--times") {
            let Run { stdout, .. } = run(&[&args[..], &["--json"]].concat());
            assert!(!stdout.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{stdout:?}");
            let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
            assert!(answer.to_string().contains('\u{202e}'), "{answer}");
        }
    }
}

#[test]
fn arguments_and_file_names_in_errors_do_not_act_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join(format!("{}.toml", HOSTILE.replace(']', "")));
    std::fs::write(&bad, format!("engine = \"{}\"", "x".repeat(9))).unwrap();
    let missing = format!("{HOSTILE}.toml");
    for args in [
        vec!["check", bad.to_str().unwrap()],
        vec!["check", &missing],
        vec!["check", HOSTILE, HOSTILE, HOSTILE],
        vec!["catalog", "disks", "--as-of", HOSTILE],
        vec!["catalog", HOSTILE],
        vec![HOSTILE],
        vec!["diagnose", "timeline", &missing],
        vec!["bench", HOSTILE, "--db", HOSTILE],
        vec!["mount", HOSTILE, "/nowhere"],
        vec!["pilot", "do", HOSTILE, "--pd", "http://127.0.0.1:1"],
    ] {
        let Run { code, stdout, stderr } = run(&args);
        assert!(code == 2 && stdout.is_empty(), "{args:?}: {code} {stdout}");
        is_shown(&format!("{args:?}"), &stderr);
        let (_, answer) = json(&args);
        assert_eq!(answer["error"]["exit_code"], 2);
    }
    // A name that is no text at all.
    let mut unreadable = command(&["check"]);
    unreadable.arg(OsString::from_vec(b"\xff\x1b]0;owned\x07".to_vec()));
    let Run { code, stderr, .. } = read(unreadable.output().unwrap());
    assert!(code == 2 && !stderr.contains(['\u{1b}', '\u{7}']), "{stderr:?}");
}

#[test]
fn our_own_colours_stay_beside_what_is_shown() {
    let mut forced = command(&["check", &format!("{HOSTILE}.toml")]);
    let Run { stderr, .. } = read(forced.env("CLICOLOR_FORCE", "1").output().unwrap());
    assert!(stderr.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{stderr:?}");
    assert!(stderr.matches('\u{1b}').count() == 3 && stderr.contains(r"\u{1b}]0;owned"), "{stderr:?}");
}

#[test]
fn what_peers_answer_does_not_act_on_the_terminal() {
    let prometheus = serde_json::json!({ "status": "error", "errorType": "bad_data", "error": HOSTILE }).to_string();
    for (args, body) in [
        (vec!["diagnose", "prometheus", "URL", "--since", "1h"], prometheus),
        (vec!["pilot", "do", "pd/schedule.leader-schedule-limit=64", "--pd", "URL"], format!("\"{HOSTILE}\"")),
    ] {
        let url = serve("400 Bad Request", body);
        let folder = tempfile::tempdir().unwrap();
        let args: Vec<&str> = args.into_iter().map(|word| if word == "URL" { url.as_str() } else { word }).collect();
        let mut command = command(&args);
        let Run { code, stdout, stderr } = read(command.env("DISKWRIGHT_PILOT", folder.path()).output().unwrap());
        assert!(code != 0 && stdout.is_empty(), "{args:?}: {code} {stdout} {stderr}");
        is_shown(&format!("{args:?}"), &stderr);
    }
}

#[test]
fn the_pilots_log_does_not_act_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pilot.log"), format!("2026-11-01T10:00:00Z  store {HOSTILE} is slow\n"))
        .unwrap();
    let place = folder.path().to_str().unwrap();
    let Run { code, stdout, stderr } = run(&["pilot", "log", "--journal", place]);
    assert_eq!(code, 0, "{stderr}");
    is_shown("pilot log", &stdout);
    assert!(stdout.contains(r"\u{1b}]0;owned\u{7}"), "{stdout}");
}

#[test]
fn rendered_files_and_pages_read_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let escaped: String = HOSTILE.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let example = std::fs::read_to_string("../../examples/htap.toml").unwrap();
    let named: Vec<String> = example
        .lines()
        .map(|line| if line.starts_with("name =") { format!("name = \"prod {escaped}\"") } else { line.to_owned() })
        .collect();
    let file = folder.path().join("named.toml");
    std::fs::write(&file, named.join("\n")).unwrap();
    let out = folder.path().join("out");
    let Run { code, stderr, .. } = run(&["render", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let mut shown = 0;
    for entry in out.read_dir().unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}']), "{text:?}");
        shown += usize::from(text.to_lowercase().contains(r"\u{202e}"));
    }
    assert!(shown > 5, "only {shown} files show the name");
    let export = export(folder.path(), "vol-\u{202e}x");
    let page = folder.path().join("page");
    run(&["diagnose", "export", &export, "--period", "1m", "--disk", "gp3:400GiB", "--out", page.to_str().unwrap()]);
    is_shown("the page", &std::fs::read_to_string(page.join("report.html")).unwrap());
}
