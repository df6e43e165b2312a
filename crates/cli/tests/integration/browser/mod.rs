//! Every kind of page in a real browser: at three widths and in two colour schemes no error, no request, no text over another, none
//! too small to read. Screenshots are left in the target folder, under `tmp/pages`.

mod chromium;
mod pages;

use std::path::{Path, PathBuf};

use serde_json::Value;

use self::chromium::{Browser, ColourScheme};

/// Collects texts as they are drawn on canvases, from before the page's own script runs.
const RECORD: &str = include_str!("record.js");
/// Looks over all texts, drawn and written.
const LOOK: &str = include_str!("look.js");
/// Uses a page as a reader does.
const USE: &str = include_str!("use.js");

/// A phone, a tablet, a desk.
const WIDTHS: [u32; 3] = [360, 800, 1400];

/// Where pages and their pictures are left for people to look at.
fn shots() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn faults(seen: &Value) -> Vec<String> {
    seen["faults"].as_array().unwrap().iter().map(|fault| fault.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_page_is_readable_at_three_widths_and_in_two_schemes() {
    let pages = pages::all(&shots());
    let mut browser = Browser::start(RECORD);
    let mut wrong = Vec::new();
    for (name, file) in &pages {
        for width in WIDTHS {
            browser.open(file, width, ColourScheme::Light);
            for scheme in [ColourScheme::Light, ColourScheme::Dark] {
                if scheme == ColourScheme::Dark {
                    browser.dusk();
                }
                let at = format!("{name} at {width} px, {}", scheme.name());
                let seen = browser.evaluate(LOOK);
                wrong.extend(faults(&seen).into_iter().map(|fault| format!("{at}: {fault}")));
                if *name != "check" && seen["charts"].as_u64() == Some(0) {
                    wrong.push(format!("{at}: no chart is drawn"));
                }
                browser.screenshot(&shots().join(format!("{name}-{width}-{}.png", scheme.name())));
            }
            wrong.extend(browser.complaints().into_iter().map(|fault| format!("{name} at {width} px: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_reader_reads_values_zooms_hides_series_and_opens_the_table() {
    let file = pages::simulated(&shots());
    let mut browser = Browser::start(RECORD);
    browser.open(file, 800, ColourScheme::Light);
    let seen = browser.evaluate(USE);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(faults(&seen), Vec::<String>::new());
}

#[test]
fn on_paper_a_page_is_black_on_white_without_what_only_a_screen_has() {
    let file = pages::simulated(&shots());
    let mut browser = Browser::start(RECORD);
    browser.open(file, 800, ColourScheme::Dark);
    browser.paper();
    let seen = browser.evaluate(
        "({ ground: getComputedStyle(document.body).backgroundColor, \
            shown: [...document.querySelectorAll('.tools,.values,.readout,.scale')].filter((one) => one.checkVisibility()).length, \
            colours: [...new Set([...window.__drawn].filter(([canvas]) => canvas.isConnected).flatMap(([, texts]) => texts).map((one) => one.colour))] })",
    );
    assert_eq!((seen["ground"].as_str(), seen["shown"].as_u64()), (Some("rgb(255, 255, 255)"), Some(0)));
    let colours = seen["colours"].as_array().unwrap();
    assert!(
        !colours.is_empty() && colours.iter().all(|colour| *colour != "#a3afbb"),
        "drawn for the dark: {colours:?}"
    );
    browser.screenshot(&shots().join("simulate-800-paper.png"));
}

#[test]
fn the_look_sees_texts_that_meet_and_texts_that_are_too_small() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.html");
    let bad = "<!doctype html><meta charset=utf-8><body style=\"margin:0\"><p style=\"position:absolute;top:0\">one text</p>\
               <p style=\"position:absolute;top:4px\">another</p><p style=\"position:absolute;top:80px;font-size:9px\">tiny</p>\
               <div style=\"width:3000px\">&nbsp;</div><canvas width=300 height=100 style=\"position:absolute;top:200px\"></canvas>\
               <img src=\"http://127.0.0.1:9/x.png\"><script>const c=document.querySelector('canvas').getContext('2d');\
               c.font='12px sans-serif';c.fillText('drawn',10,20);c.fillText('over it',12,24);console.error('broken')</script>";
    std::fs::write(&file, bad).unwrap();
    let mut browser = Browser::start(RECORD);
    browser.open(&file, 360, ColourScheme::Light);
    let seen = [faults(&browser.evaluate(LOOK)), browser.complaints()].concat().join("\n");
    for expected in [
        "`one text` meets `another`",
        "`tiny` is 9 px",
        "wider than the window",
        "`drawn` meets `over it`",
        "asked for http://127.0.0.1:9/x.png",
        "broken",
    ] {
        assert!(seen.contains(expected), "{expected} is not in:\n{seen}");
    }
}
