//! Source 004 on a real server: the study of gp2 against io1, as `examples/rds-study` has it.

use std::path::Path;

use bench::compare::RunDifference;
use mysql::study::{Study, StudyPhases, phases};
use textfile::{InputError, Text};

use crate::judge::ClaimValue;
use crate::measured::ClaimTestBed;
use crate::run::{ClaimError, Ours};

/// The files of the study: one truth for the claim and for who runs it by hand.
const FILES: [(&str, &str); 4] = [
    ("study.toml", include_str!("../../../../examples/rds-study/study.toml")),
    ("inserts.toml", include_str!("../../../../examples/rds-study/inserts.toml")),
    ("gp2.toml", include_str!("../../../../examples/rds-study/gp2.toml")),
    ("io1.toml", include_str!("../../../../examples/rds-study/io1.toml")),
];

/// Whether the study answers the claim.
pub(crate) fn known(id: &str) -> bool {
    id == "D01"
}

fn study() -> Result<Study, ClaimError> {
    let open = |path: &Path| -> Result<Text, InputError> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let file = FILES.iter().find(|(of, _)| *of == name);
        file.map(|(_, text)| Text::new(path, *text)).ok_or_else(|| InputError::new(path, "is no part of the study"))
    };
    let (name, text) = FILES[0];
    Ok(Study::from_text(&Text::new(format!("examples/rds-study/{name}"), text), &mut { open })?)
}

/// What io1 gains once the credits of gp2 are gone, in percent.
pub(crate) fn gain(lab: &ClaimTestBed) -> Result<Ours, ClaimError> {
    let study = study()?;
    let pairs = study.run(&lab.home, &lab.scratch, &lab.stop, &mut |_, _, _| ())?;
    answer(&phases(&pairs), &study.scaled)
}

fn answer(seen: &StudyPhases, scaled: &str) -> Result<Ours, ClaimError> {
    let missing = |what: &str| ClaimError::Other(format!("no time was seen in which the credits of gp2 were {what}"));
    let before = &seen.before.as_ref().ok_or_else(|| missing("left"))?.rows_per_minute;
    let after = &seen.after.as_ref().ok_or_else(|| missing("gone"))?.rows_per_minute;
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = |of: &RunDifference| match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!("{:+.1} to {:+.1} %", percent(low), percent(high)),
        _ => "unknown".to_owned(),
    };
    let remark = format!(
        "{} pairs, 95 % intervals: {} with credits left, where the source sees no difference; {} without. {scaled}",
        seen.exhausted_s.len(),
        interval(before),
        interval(after),
    );
    // Beyond noise after the credits, and not before.
    let certain = after.ratio_low.is_some_and(|low| low > 1.0)
        && before.ratio_low.zip(before.ratio_high).is_some_and(|(low, high)| low <= 1.0 && high >= 1.0);
    Ok(Ours { remark: Some(remark), certain, value: ClaimValue::number(percent(after.ratio)) })
}

#[cfg(test)]
mod tests {
    use mysql::study::StudyGain;

    use super::*;

    fn phase(pairs: &[(f64, f64)]) -> Option<StudyGain> {
        let rows_per_minute = RunDifference::of_pairs(pairs);
        Some(StudyGain { rows_per_minute, iops: [1.0; 2], queue_depth: [1.0; 2], seconds: 20.0 })
    }

    fn of(before: &[(f64, f64)], after: &[(f64, f64)]) -> Ours {
        let seen = StudyPhases { exhausted_s: vec![Some(20.0); 3], before: phase(before), after: phase(after) };
        answer(&seen, "scaled").unwrap()
    }

    const SAME: [(f64, f64); 3] = [(100.0, 101.0), (100.0, 99.0), (100.0, 100.0)];
    const MORE: [(f64, f64); 3] = [(100.0, 120.0), (100.0, 121.0), (100.0, 119.0)];

    #[test]
    fn the_study_is_the_example_and_its_sides_are_the_sources_volumes() {
        let study = study().unwrap();
        assert_eq!(study.sides.each_ref().map(|side| side.disk.as_str()), ["gp2:400GiB", "io1:400GiB,5000iops"]);
        assert!(study.pairs >= 2 && !study.scaled.is_empty());
    }

    #[test]
    fn a_gain_is_certain_only_where_it_comes_with_the_end_of_the_credits() {
        let ours = of(&SAME, &MORE);
        assert!(
            ours.certain && matches!(&ours.value, ClaimValue::Numbers(all) if (all[0] - 20.0).abs() < 0.1),
            "{ours:?}"
        );
        assert!(!of(&MORE, &MORE).certain, "the disks were not the reason");
        assert!(!of(&SAME, &SAME).certain);
    }

    #[test]
    fn credits_that_never_ran_out_are_no_answer() {
        let seen = StudyPhases { exhausted_s: vec![None], before: phase(&SAME), after: None };
        assert!(answer(&seen, "").unwrap_err().to_string().contains("gone"));
    }
}
