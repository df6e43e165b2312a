//! The inserts of AWS's study of 2018 (How to use CloudWatch metrics to decide between General Purpose or Provisioned IOPS):
//! a table with a random key, two long random strings, a random number and a time, and four indexes on them.

/// The table.
pub(crate) const TABLE: &str = "random_rows";

/// Creates it: names are ours, types and indexes the study's.
pub(crate) const SCHEMA: &str = "\
CREATE TABLE random_rows (
  id varchar(36) NOT NULL, forward varchar(200) NOT NULL, number double NOT NULL, backward varchar(200) NOT NULL,
  added timestamp NOT NULL,
  PRIMARY KEY (id), KEY by_forward (forward), KEY by_number (number), KEY by_added (added),
  KEY by_backward (backward, id))";

/// A row that the server makes up: a UUID as key, the strings of a UUID and two random numbers, one of them reversed.
const ROW: &str = "(REPLACE(UUID(), '-', ''), \
    CONCAT(REPLACE(UUID(), '-', ''), REPLACE(RAND(), '.', ''), REPLACE(RAND(), '.', '')), RAND(), \
    REVERSE(CONCAT(REPLACE(UUID(), '-', ''), REPLACE(RAND(), '.', ''), REPLACE(RAND(), '.', ''))), CURRENT_TIMESTAMP)";

/// A statement that adds so many rows.
pub(crate) fn statement(rows: u32) -> String {
    format!("INSERT INTO {TABLE} VALUES {}", vec![ROW; rows.max(1) as usize].join(", "))
}
