use super::*;
use crate::text::USUAL_WIDTH;
use proptest::prelude::*;

#[test]
fn columns_line_up_and_lines_end_without_space() {
    let mut table = Table::new(&["", "$/month", "nodes"], &[1]);
    table.row(["1", "$2,345", "3 × a"]);
    table.row(["2", "$12", ""]);
    assert_eq!(table.to_string(), "   $/month  nodes\n1   $2,345  3 × a\n2      $12\n");
}

#[test]
fn the_last_column_is_wrapped_under_itself() {
    let mut table = Table::new(&["what", "why"], &[]);
    table.row(["io2".to_owned(), "word ".repeat(60)]);
    table.note("note ".repeat(40));
    let text = table.to_string();
    assert!(text.lines().all(|line| line.chars().count() <= USUAL_WIDTH), "{text}");
    assert!(text.lines().skip(2).all(|line| line.starts_with("      ")), "{text}");
}

#[test]
fn what_comes_with_data_breaks_no_row_and_no_line() {
    let mut table = Table::new(&["name", "", "what"], &[]);
    table.row(["a\nroot\t".to_owned(), "b".to_owned(), format!("c {}", "\u{202e}".repeat(40))]);
    let text = table.to_string();
    assert!(text.contains("a\\nroot\\t  b"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= USUAL_WIDTH), "{text}");
}

#[test]
fn heads_are_broken_before_a_column_is_left_out() {
    let mut table = Table::new(&["run", "odds of missing", "nodes"], &[1]);
    table.row(["1", "1 in 20", "3 × a"]);
    assert_eq!(table.laid_out(19), "run  odds of  nodes\n     missing\n1    1 in 20  3 × a\n");
}

#[test]
fn a_column_without_room_is_named_under_its_row() {
    let mut table = Table::new(&["", "$/month", "p99", "gives first", "free"], &[0, 1, 2, 4]);
    table.row(["1", "$2,431", "123 ms", "instance MB/s", "44 %"]);
    table.note("3 × m7a.2xlarge".to_owned());
    let expected = "\n   $/month     p99\n1   $2,431  123 ms\n   gives first: instance\n   MB/s · free: 44 %\n   3 × m7a.2xlarge\n";
    assert_eq!(table.laid_out(24), expected[1..]);
}

proptest! {
    /// Every line fits, and every word is there whole, whatever the cells and the columns are.
    #[test]
    fn tables_fit_without_a_broken_word(
        rows in prop::collection::vec(prop::collection::vec("[a-z]{1,12}( [a-z]{1,12}){0,8}", 6), 1..6),
        right in prop::collection::vec(0usize..6, 0..3),
        line in 40usize..160,
    ) {
        let mut table = Table::new(&["", "first", "second of them", "third", "", "the last"], &right);
        for row in &rows {
            table.row(row.iter().map(String::as_str));
        }
        let text = table.laid_out(line);
        // A number is not broken: one that is wider than the line is.
        let breaks = right.iter().any(|column| rows.iter().any(|row| row[*column].len() > line));
        for printed in text.lines() {
            prop_assert!(width(printed) <= line, "{line}: {printed}");
        }
        let printed: Vec<&str> = text.split_whitespace().collect();
        for word in rows.iter().flatten().flat_map(|cell| cell.split(' ')) {
            prop_assert!(breaks || printed.contains(&word), "{word} in\n{text}");
        }
    }
}
