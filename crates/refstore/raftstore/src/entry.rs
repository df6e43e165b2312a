//! What is in an entry of the log: many commands, or an order to shorten the log.

use bytes::Bytes;

use crate::varint::{Reader, put_bytes, put_varint};
use crate::{ColumnFamily, StateChange, WriteCommand};

const COMMANDS: u8 = 1;
const COMPACT: u8 = 2;
const WRITE: u8 = 1;
const COMPARE_AND_SWAP: u8 = 2;
const PUT: u8 = 0;
const DELETE: u8 = 4;
const DELETE_RANGE: u8 = 8;

/// Bytes that an entry has at least, beside the commands.
const OVERHEAD: usize = 16;

/// Puts commands together to an entry.
pub(crate) struct Writer {
    data: Vec<u8>,
}

impl Writer {
    /// With room for so many bytes of keys and values.
    pub(crate) fn with_capacity(bytes: usize, commands: usize) -> Self {
        let mut data = Vec::with_capacity(bytes + commands * OVERHEAD);
        data.push(COMMANDS);
        Self { data }
    }

    /// One more command.
    pub(crate) fn push(&mut self, command: &WriteCommand) {
        let to = &mut self.data;
        match command {
            WriteCommand::Write(changes) => {
                to.push(WRITE);
                put_varint(to, changes.len() as u64);
                for change in changes {
                    let (kind, cf, first, second) = match change {
                        StateChange::Put(cf, key, value) => (PUT, cf, key, Some(value)),
                        StateChange::Delete(cf, key) => (DELETE, cf, key, None),
                        StateChange::DeleteRange(cf, from, until) => (DELETE_RANGE, cf, from, Some(until)),
                    };
                    to.push(kind | *cf as u8);
                    put_bytes(to, first);
                    if let Some(second) = second {
                        put_bytes(to, second);
                    }
                }
            }
            WriteCommand::CompareAndSwap { key, expected, value } => {
                to.push(COMPARE_AND_SWAP);
                put_bytes(to, key);
                to.push(u8::from(expected.is_some()));
                if let Some(expected) = expected {
                    put_bytes(to, expected);
                }
                put_bytes(to, value);
            }
        }
    }

    /// The entry's data.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.data
    }
}

/// An entry that lets the log begin after an index, which is of the term.
pub(crate) fn compact(index: u64, term: u64) -> Vec<u8> {
    let mut data = vec![COMPACT];
    put_varint(&mut data, index);
    put_varint(&mut data, term);
    data
}

/// What an entry orders.
pub(crate) enum Order {
    /// Nothing: a leader's first entry.
    Nothing,
    /// Commands.
    Commands(Commands),
    /// The log begins after this index, of this term.
    Compact(u64, u64),
}

/// What an entry orders; none when it is damaged.
pub(crate) fn read(data: &Bytes) -> Option<Order> {
    let mut reader = Reader::new(data.clone());
    match (data.is_empty(), reader.byte()) {
        (true, _) => Some(Order::Nothing),
        (_, Some(COMMANDS)) => Some(Order::Commands(Commands { reader })),
        (_, Some(COMPACT)) => Some(Order::Compact(reader.varint()?, reader.varint()?)),
        _ => None,
    }
}

/// The commands of an entry, in order.
pub(crate) struct Commands {
    reader: Reader,
}

/// What a command asks for beyond the changes that are at hand.
pub(crate) enum Step {
    /// Nothing: its changes are added.
    Written,
    /// To look at the state first.
    CompareAndSwap {
        /// At which key.
        key: Bytes,
        /// What it has to be.
        expected: Option<Bytes>,
        /// What it becomes.
        value: Bytes,
    },
}

impl Commands {
    /// Whether all are read.
    pub(crate) fn is_done(&self) -> bool {
        self.reader.is_empty()
    }

    /// Reads a command; its changes, which are slices of the entry, go to `changes`. None when the entry is damaged.
    pub(crate) fn next(&mut self, changes: &mut Vec<StateChange>) -> Option<Step> {
        let reader = &mut self.reader;
        match reader.byte()? {
            WRITE => {
                for _ in 0..reader.varint()? {
                    let tag = reader.byte()?;
                    let cf = *ColumnFamily::ALL.get(usize::from(tag & 3))?;
                    changes.push(match tag & !3 {
                        PUT => StateChange::Put(cf, reader.bytes()?, reader.bytes()?),
                        DELETE => StateChange::Delete(cf, reader.bytes()?),
                        DELETE_RANGE => StateChange::DeleteRange(cf, reader.bytes()?, reader.bytes()?),
                        _ => return None,
                    });
                }
                Some(Step::Written)
            }
            COMPARE_AND_SWAP => {
                let key = reader.bytes()?;
                let expected = if reader.byte()? == 1 { Some(reader.bytes()?) } else { None };
                Some(Step::CompareAndSwap { key, expected, value: reader.bytes()? })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Bytes> {
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(Bytes::from)
    }

    fn change() -> impl Strategy<Value = StateChange> {
        let cf = proptest::sample::select(&ColumnFamily::ALL);
        (0..3, cf, bytes(), bytes()).prop_map(|(kind, cf, one, two)| match kind {
            0 => StateChange::Put(cf, one, two),
            1 => StateChange::Delete(cf, one),
            _ => StateChange::DeleteRange(cf, one, two),
        })
    }

    fn command() -> impl Strategy<Value = WriteCommand> {
        prop_oneof![
            proptest::collection::vec(change(), 0..5).prop_map(WriteCommand::Write),
            (bytes(), proptest::option::of(bytes()), bytes())
                .prop_map(|(key, expected, value)| WriteCommand::CompareAndSwap { key, expected, value }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_put_together_is_read_back(commands in proptest::collection::vec(command(), 0..10)) {
            let mut writer = Writer::with_capacity(0, 0);
            commands.iter().for_each(|command| writer.push(command));
            let Some(Order::Commands(mut read)) = read(&writer.finish().into()) else { panic!("no commands") };
            for command in commands {
                let mut changes = Vec::new();
                let step = read.next(&mut changes).unwrap();
                let back = match step {
                    Step::Written => WriteCommand::Write(changes),
                    Step::CompareAndSwap { key, expected, value } => WriteCommand::CompareAndSwap { key, expected, value },
                };
                prop_assert_eq!(back, command);
            }
            prop_assert!(read.is_done());
        }

        #[test]
        fn damaged_entries_are_told_not_trusted(data in proptest::collection::vec(any::<u8>(), 1..200)) {
            if let Some(Order::Commands(mut commands)) = read(&data.into()) {
                let mut changes = Vec::new();
                while !commands.is_done() && commands.next(&mut changes).is_some() {}
            }
        }
    }
}
