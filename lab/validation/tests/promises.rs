//! What is promised of the simulation, held against what is kept of the reference store: `make validate` measures it anew.

use std::path::Path;
use std::sync::LazyLock;

use rayon::prelude::*;
use simulate::Constants;
use validation::{GridHalf, GridRow, MeasuredRow, RowErrors, SEEDS, TARGETS, ValidationGrid, markdown, mean_absolute};

static ROWS: LazyLock<Vec<RowErrors>> = LazyLock::new(|| {
    let grid = ValidationGrid::embedded();
    let folder = Path::new("measured");
    let compare = |row: &GridRow| {
        let setup = grid.setup(row).expect("the grid is tested");
        let kept = MeasuredRow::read(folder, &setup).expect("it is readable");
        let kept = kept.unwrap_or_else(|| panic!("row {} was not measured as it is now: make validate", row.name));
        RowErrors::new(&setup, row.half, &kept, Constants::reference_store(), SEEDS).expect("it runs")
    };
    grid.rows.par_iter().map(compare).collect()
});

#[test]
fn the_predicted_half_is_off_by_no_more_than_is_promised() {
    for target in TARGETS {
        let errors = RowErrors::of_half(&ROWS, GridHalf::Predict, target.metric);
        let mean = mean_absolute(errors).expect("some rows are compared");
        let (name, most) = (target.metric.name(), target.most);
        assert!(mean <= most, "{name}: off by {:.1} %, {:.0} % at most expected", 100.0 * mean, 100.0 * most);
    }
}

#[test]
fn effects_that_stand_out_of_the_noise_have_the_same_sign() {
    let tables = markdown(&ValidationGrid::embedded(), &ROWS, "", None, None);
    let wrong: Vec<&str> = tables.lines().filter(|line| line.contains("**differs**")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tables.contains(" agrees |"), "some effects stand out:\n{tables}");
}
