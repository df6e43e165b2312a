//! Draws operations.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::chooser::RowChooser;
use super::counts::{evenly, rounded};
use super::operation::{Operation, PlannedOperation};
use super::recipe::{OperationRecipe, Step};

/// Draws the operations of one thread.
#[derive(Debug)]
pub struct OperationGenerator {
    recipe: Arc<OperationRecipe>,
    chooser: RowChooser,
    random: Xoshiro256PlusPlus,
    /// Weights summed up to each kind, the last being 1.
    until: Vec<f64>,
    /// Source of the keys' bytes.
    room: BytesMut,
}

impl OperationGenerator {
    pub(crate) fn new(recipe: Arc<OperationRecipe>, seed: u64, stream: u32) -> Self {
        let until = summed(recipe.kinds.iter().map(|kind| kind.weight));
        let room = BytesMut::new();
        Self { chooser: recipe.chooser.clone(), random: stream_of(seed, stream), recipe, until, room }
    }

    /// From the next on, kinds come in proportion to these weights, one for each; to the workload's own if there are none, or
    /// all are zero.
    pub fn mix(&mut self, weights: &[f64]) {
        let given = weights.len() == self.recipe.kinds.len() && weights.iter().sum::<f64>() > 0.0;
        self.until = match given {
            true => summed(weights.iter().copied()),
            false => summed(self.recipe.kinds.iter().map(|kind| kind.weight)),
        };
    }

    /// The next operation; `None` when it would add a row and all have been added.
    pub fn draw(&mut self) -> Option<PlannedOperation> {
        let at: f64 = self.random.random();
        let kind = self.until.iter().position(|until| at < *until).unwrap_or_else(|| self.last());
        let recipe = self.recipe.clone();
        let step = &recipe.kinds[kind];
        if step.same_row {
            let key = self.key();
            let operation = Operation::ReadModifyWrite { key, value: self.value() };
            return Some(PlannedOperation { kind, adds: 0..0, operation });
        }
        let (operation, adds) = self.operation(step)?;
        Some(PlannedOperation { kind, adds, operation })
    }

    /// To be told of each operation that added rows when it is over, whether it succeeded or not.
    pub fn finished(&mut self, adds: Range<u64>) {
        self.recipe.rows.finished(adds);
    }

    /// The last kind that comes at all: rounding may leave the sum of the weights under 1.
    fn last(&self) -> usize {
        self.until.iter().position(|until| Some(until) == self.until.last()).unwrap_or_default()
    }

    fn operation(&mut self, step: &Step) -> Option<(Operation, Range<u64>)> {
        let reads = rounded(step.reads, &mut self.random);
        let scans = rounded(step.scans, &mut self.random);
        let updates = rounded(step.updates, &mut self.random);
        let inserts = rounded(step.inserts, &mut self.random);
        let adds = if inserts > 0 { self.recipe.rows.take(inserts.into())? } else { 0..0 };
        // Most operations are one, and need no list.
        match (reads, scans + inserts, updates) {
            (1, 0, 0) => return Some((Operation::Read { key: self.key() }, adds)),
            (0, 0, 1) => return Some((self.update(), adds)),
            _ => {}
        }
        let mut operations = Vec::with_capacity((reads + scans + updates + inserts) as usize);
        operations.extend((0..reads).map(|_| Operation::Read { key: self.key() }));
        for _ in 0..scans {
            let rows = evenly(step.rows_per_scan, &mut self.random);
            operations.push(Operation::Scan { from: self.key(), rows });
        }
        if step.statements == Some(1.0) && reads + scans + updates == 0 {
            operations.push(self.insert(adds.clone()));
        } else {
            operations.extend(adds.clone().map(|row| self.insert(row..row + 1)));
        }
        operations.extend((0..updates).map(|_| self.update()));
        Some((in_turn(operations, step, &mut self.random), adds))
    }

    fn update(&mut self) -> Operation {
        let key = self.key();
        Operation::Update { key, value: self.value() }
    }

    fn insert(&mut self, rows: Range<u64>) -> Operation {
        if rows.end - rows.start == 1 && self.recipe.indexes.is_empty() {
            let key = self.recipe.keys.key_in(rows.start, &mut self.room);
            return Operation::Insert { key, value: self.value() };
        }
        let mut pairs = Vec::with_capacity((rows.end - rows.start) as usize * (1 + self.recipe.indexes.len()));
        rows.for_each(|row| self.recipe.row(row, &mut self.random, &mut pairs));
        Operation::InsertMany(pairs)
    }

    fn key(&mut self) -> Bytes {
        let row = self.chooser.choose(self.recipe.rows.there(), &mut self.random);
        self.recipe.keys.key_in(row, &mut self.room)
    }

    fn value(&mut self) -> Bytes {
        self.recipe.values.value(&mut self.random)
    }
}

impl OperationRecipe {
    /// Writes the row and its index entries.
    pub(crate) fn row(&self, row: u64, random: &mut Xoshiro256PlusPlus, pairs: &mut Vec<(Bytes, Bytes)>) {
        pairs.push((self.keys.key(row), self.values.value(random)));
        for (at, index) in (0..).zip(&self.indexes) {
            let entry = self.values.of_size(index.padding, random);
            pairs.push((self.keys.index_key(at, index.ordered, row), entry));
        }
    }
}

/// Weights summed up to each, over the sum of all.
fn summed(weights: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let whole: f64 = weights.clone().sum();
    weights
        .scan(0.0, |sum, weight| {
            *sum += weight / whole;
            Some(*sum)
        })
        .collect()
}

/// Generators with the same seed and different streams never overlap.
pub(crate) fn stream_of(seed: u64, stream: u32) -> Xoshiro256PlusPlus {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..stream).for_each(|_| random.jump());
    random
}

/// Puts what an operation does into its statements; several of one statement are sent at once.
fn in_turn(mut operations: Vec<Operation>, step: &Step, random: &mut Xoshiro256PlusPlus) -> Operation {
    if operations.len() == 1 {
        return operations.remove(0);
    }
    let all = operations.len();
    let statements = step.statements.map_or(all, |mean| rounded(mean, random) as usize).clamp(1, all.max(1));
    let mut left = operations.into_iter();
    let cut = |at: usize| at * all / statements;
    Operation::InTurn((0..statements).map(|at| left.by_ref().take(cut(at + 1) - cut(at)).collect()).collect())
}
