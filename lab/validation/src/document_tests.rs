use super::*;
use crate::{MachineLoad, RunFigures};

/// All rows, of which every number is predicted too high by a share.
fn rows(grid: &ValidationGrid, off: f64) -> Vec<RowErrors> {
    let row = |(index, row): (usize, &crate::GridRow)| {
        let measured = RunFigures {
            throughput: 1000.0 + index as f64,
            p50_ms: Some(2.0),
            p99_ms: Some(20.0 + index as f64),
            compaction_bytes: 3e7,
            flush_bytes: 1e7,
            ..RunFigures::default()
        };
        let more = |value: f64| value * (1.0 + off);
        let predicted = RunFigures {
            throughput: more(measured.throughput),
            p50_ms: measured.p50_ms.map(more),
            p99_ms: measured.p99_ms.map(more),
            compaction_bytes: more(measured.compaction_bytes),
            flush_bytes: more(measured.flush_bytes),
            ..measured.clone()
        };
        RowErrors { setup: grid.setup(row).unwrap(), half: row.half, predicted, measured, busy: MachineLoad::default() }
    };
    grid.rows.iter().enumerate().map(row).collect()
}

#[test]
fn a_promise_is_kept_or_missed_by_the_predicted_half() {
    let grid = ValidationGrid::embedded();
    let line = |off: f64, metric: ComparedMetric| {
        let text = markdown(&grid, &rows(&grid, off), "a machine", None, None);
        let start = format!("| {} |", metric.name());
        text.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
    };
    for target in TARGETS {
        let [below, above] = [0.9, 1.1].map(|times| line(times * target.most, target.metric));
        assert!(below.ends_with("| kept |") && above.ends_with("| missed |"), "{below}\n{above}");
    }
    assert!(line(0.2, ComparedMetric::Throughput).contains("| 20.0 % | 12 | 20.0 % | 12 |"));
}

#[test]
fn every_row_and_every_factor_is_told_of() {
    let grid = ValidationGrid::embedded();
    let text = markdown(&grid, &rows(&grid, 0.1), "a machine", Some(1.5), None);
    assert!(text.contains(" 1.50 times as long "));
    for row in &grid.rows {
        assert!(text.contains(&format!("| {} | {} |", row.name, row.levels.join(", "))), "{}", row.name);
    }
    assert!(grid.factors.iter().all(|factor| text.contains(&format!("| {} |", factor.name))));
}

#[test]
fn only_what_is_between_the_marks_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md");
    std::fs::write(&path, format!("before\n{BEGIN}\nold\n{END}\nafter\n")).unwrap();
    replace(&path, "new").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("before\n{BEGIN}\n\nnew\n{END}\nafter\n"));
    std::fs::write(&path, "no marks").unwrap();
    assert!(replace(&path, "new").unwrap_err().to_string().contains("has no line"));
}
