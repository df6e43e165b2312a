use deployment::BlockCompression;
use proptest::prelude::*;
use workload::SkewBand;

use super::*;
use crate::Constants;

/// A tree with small memtables, so that much happens soon.
fn tree(bytes: f64, updates: f64) -> Tree {
    let c = Constants::embedded();
    let bands = [SkewBand { data: 1.0, accesses: 1.0, clustered: true }];
    let shape = Shape {
        memtable: 4e6,
        level_base: 16e6,
        multiplier: 10.0,
        l0_trigger: 4.0,
        file_size: 1e6,
        overlap: c.overlap,
        ratios: Ratios::new(1.0, 65536.0, BlockCompression::None, c),
        overwrites: Overwrites::new(&bands, (bytes / 100.0).max(1000.0), updates, 100.0),
        in_tree: 1.0,
    };
    Tree::holding(shape, bytes)
}

/// Does all work that is due, as soon as it is.
fn settle(tree: &mut Tree) -> (f64, f64) {
    let (mut flushed, mut compacted) = (0.0, 0.0);
    while let Some(flush) = tree.pick_flush() {
        flushed += flush.out;
        tree.flushed(flush);
    }
    while let Some(pick) = tree.pick() {
        compacted += pick.out;
        tree.compacted(pick);
    }
    (flushed, compacted)
}

#[test]
fn a_tree_begins_with_its_levels_at_their_targets() {
    let tree = tree(2e9, 1.0);
    let sizes = tree.sizes();
    for level in sizes.base..=LAST {
        let fill = tree.levels[level].bytes / sizes.targets[level];
        assert!((0.99..1.01).contains(&fill), "level {level}: {fill}");
    }
    assert_eq!(tree.pending().round(), 0.0);
}

#[test]
fn levels_stay_near_their_targets_while_writes_come() {
    let mut tree = tree(1e9, 1.0);
    for _ in 0..2000 {
        tree.insert(1e6);
        settle(&mut tree);
    }
    let sizes = tree.sizes();
    for level in sizes.base..LAST {
        let fill = tree.levels[level].bytes / sizes.targets[level];
        assert!(fill < 1.2, "level {level}: {fill}, {:?}", tree.level_bytes());
    }
    assert!(tree.l0_files() < 5);
}

#[test]
fn updates_do_not_make_a_tree_grow_and_inserts_do() {
    for (updates, grows) in [(1.0, 0.0), (0.0, 1.0)] {
        let mut tree = tree(1e9, updates);
        let before = tree.bytes();
        for _ in 0..2000 {
            tree.insert(1e6);
            settle(&mut tree);
        }
        let grown = (tree.bytes() - before) / 2e9;
        assert!((grown - grows).abs() < 0.15, "{updates}: {grown}");
    }
}

#[test]
fn a_compaction_within_l0_runs_beside_the_one_to_the_base_level() {
    let mut tree = tree(1e9, 0.0);
    let fill = |files: usize, tree: &mut Tree| {
        for _ in 0..files {
            tree.insert(4e6);
            let flush = tree.pick_flush().unwrap();
            tree.flushed(flush);
        }
    };
    fill(4, &mut tree);
    let down = tree.pick().unwrap();
    assert_eq!((down.level, down.files), (0, 4));
    fill(6, &mut tree);
    let within = std::iter::from_fn(|| tree.pick()).find(|pick| pick.level == 0).unwrap();
    assert_eq!((within.to, within.files), (0, 6));
    tree.compacted(within);
    assert_eq!(tree.l0_files(), 5, "four on their way, and one of six");
    tree.compacted(down);
    assert_eq!(tree.l0_files(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_was_put_in_is_there_or_was_replaced(
        bytes in 1e7..2e9f64, updates in 0.0..=1.0f64, writes in prop::collection::vec(1e4..8e6f64, 1..200),
    ) {
        let mut tree = tree(bytes, updates);
        let before = tree.raw();
        let (mut flushed, mut dropped) = (0.0, 0.0);
        for write in writes {
            tree.insert(write);
            let (more, _) = settle(&mut tree);
            flushed += more;
            prop_assert!(tree.dropped() >= dropped);
            dropped = tree.dropped();
        }
        let there = tree.raw() + tree.dropped();
        prop_assert!((there / (before + tree.inserted()) - 1.0).abs() < 1e-6, "{there}");
        prop_assert!(flushed <= tree.inserted() * (1.0 + 1e-9));
    }
}
