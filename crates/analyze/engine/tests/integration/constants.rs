//! Structs of constants, read from tables.

diskwright_engine::constants! {
    /// Two.
    #[allow(missing_docs, reason = "a test's")]
    pub Pair { one, other }
}

fn stated(name: &str, value: u32, source: &str) -> String {
    format!("[{name}]\nvalue = {value}\nunit = \"-\"\nmeaning = \"-\"\nsource = \"{source}\"\n")
}

#[test]
fn constants_are_read_by_name_and_replaced_by_name() {
    let table = stated("one", 1, "s") + &stated("other", 2, "s");
    let pair = Pair::from_table(&table).unwrap();
    assert_eq!(pair, Pair { one: 1.0, other: 2.0 });
    assert_eq!((pair.get("other"), pair.get("third")), (Some(2.0), None));
    assert_eq!(pair.with("one", 7.0), Some(Pair { one: 7.0, ..pair }));
    assert_eq!(pair.with("oen", 7.0), None);
    assert_eq!(pair.over(&stated("one", 5, "s")), Ok(Pair { one: 5.0, ..pair }));
}

#[test]
fn tables_that_lack_repeat_or_add_a_constant_are_refused_by_its_name() {
    let [one, other] = ["one", "other"].map(|name| stated(name, 1, "s"));
    let refused = |table: &str| Pair::from_table(table).unwrap_err();
    assert_eq!(refused(&one).to_string(), "no constant `other`");
    assert_eq!(refused(&(one.clone() + &stated("other", 2, " "))).to_string(), "`other` lacks unit, meaning or source");
    let more = format!("{one}{other}{}", stated("third", 3, "s"));
    assert_eq!(refused(&more).to_string(), "no constant `third` is read");
    assert!(Pair::among(&[&more]).is_ok());
    assert_eq!(Pair::among(&[&more, &one]).unwrap_err().to_string(), "`one` stands in two tables");
}
