use std::collections::BTreeMap;

use reference_store::prove::OperationCost;

use super::*;

/// This many processors, as on the machine that the grid is made for.
const PROCESSORS: f64 = 2.0;

fn refused(from: &str, to: &str) -> String {
    assert!(GRID.contains(from), "{from}");
    ValidationGrid::from_text(&Text::new("grid.toml", GRID.replacen(from, to, 1))).unwrap_err().to_string()
}

#[test]
fn each_half_has_every_level_of_a_factor_equally_often() {
    let grid = ValidationGrid::embedded();
    assert!(grid.rows.len() >= 24);
    for half in GridHalf::ALL {
        let rows: Vec<&GridRow> = grid.rows.iter().filter(|row| row.half == half).collect();
        for (at, factor) in grid.factors.iter().enumerate() {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(&row.levels[at]).or_default() += 1);
            assert_eq!(counts.len(), factor.levels.len(), "{} in {half:?}", factor.name);
            let expected = rows.len() / factor.levels.len();
            assert!(counts.values().all(|count| *count == expected), "{}: {counts:?}", factor.name);
        }
    }
}

#[test]
fn halves_alternate_and_no_row_is_there_twice() {
    let grid = ValidationGrid::embedded();
    assert!(grid.rows.chunks(2).all(|pair| pair[0].half == GridHalf::Calibrate && pair[1].half == GridHalf::Predict));
    let levels: BTreeSet<&Vec<String>> = grid.rows.iter().map(|row| &row.levels).collect();
    assert_eq!(levels.len(), grid.rows.len());
}

#[test]
fn no_two_factors_go_together_by_much() {
    let grid = ValidationGrid::embedded();
    let scores = |factor: usize, level: usize| -> Vec<f64> {
        let on = |row: &GridRow| f64::from(u8::from(grid.place(row, factor) == Some(level)));
        let marks: Vec<f64> = grid.rows.iter().map(on).collect();
        let mean = marks.iter().sum::<f64>() / marks.len() as f64;
        marks.iter().map(|mark| mark - mean).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for one in 0..grid.factors.len() {
        for other in 0..one {
            for a in 0..grid.factors[one].levels.len() {
                for b in 0..grid.factors[other].levels.len() {
                    let (x, y) = (scores(one, a), scores(other, b));
                    let correlation = dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt();
                    let names = (&grid.factors[one].levels[a].name, &grid.factors[other].levels[b].name);
                    assert!(correlation.abs() < 0.4, "{names:?}: {correlation:.2}");
                }
            }
        }
    }
}

#[test]
fn half_of_the_processors_are_enough_by_the_estimate_of_a_proved_plan() {
    let grid = ValidationGrid::embedded();
    for row in &grid.rows {
        let setup = grid.setup(row).unwrap();
        let rate = setup.most();
        let work = OperationCost { gets: setup.reads, puts: 1.0 - setup.reads, ..OperationCost::default() };
        // Disks deliver no more than their limits.
        let ios = OperationCost { ios: setup.most_ios().unwrap(), ..OperationCost::default() };
        let busy = (rate * work.cpu() + ios.cpu()) / PROCESSORS;
        assert!(busy <= 0.5, "row {}: {:.0} %", row.name, 100.0 * busy);
    }
}

#[test]
fn every_row_is_a_workload_and_a_deployment_that_both_sides_take() {
    let grid = ValidationGrid::embedded();
    for row in &grid.rows {
        let setup = grid.setup(row).unwrap();
        let task = setup.workload().unwrap().middle().unwrap();
        assert_eq!(task.profile.point_reads, setup.reads, "row {}", row.name);
        setup.deployment().unwrap().validate(&setup.view()).unwrap();
        assert_eq!(task.clients.is_some(), row.rate.is_none(), "row {}", row.name);
    }
}

#[test]
fn a_wrong_grid_is_refused_with_what_is_wrong() {
    assert!(refused("\"gp3-16000\", \"shared\"", "\"gp3-1600\", \"shared\"").contains("expected one of gp3-floor"));
    assert!(refused("\"gp3-16000\", \"shared\", ", "").contains("expected one of each of disk, log"));
    assert!(refused("name = \"02\"", "name = \"01\"").contains("twice"));
    assert!(refused("warm-up", "warmup").contains("did you mean `warm-up`"));
    assert!(refused("{ name = \"shared\" }", "{ name = \"shared\", rows = 5 }").contains("another factor"));
    let open = refused("rate = 1500", "");
    assert!(open.contains("row `") && open.contains("rate"), "{open}");
}
