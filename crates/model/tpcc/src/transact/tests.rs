use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::{DeliveryInput, Many, NewOrder, OrderLine, OrderStatus, PaymentInput, SqlDialect, StockLevel};

/// A database that answers what it is told to, counts values, and never waits.
#[derive(Default)]
struct Twin {
    sent: Vec<(&'static str, Vec<SqlValue>)>,
    names: usize,
    credit: &'static str,
    fails_at: Option<Statement>,
    empty: bool,
    /// The district that has no new order.
    skips: i64,
}

impl SqlSession for Twin {
    type Error = &'static str;

    async fn begin(&mut self) -> Result<(), Self::Error> {
        self.sent.push(("begin", Vec::new()));
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), Self::Error> {
        self.sent.push(("commit", Vec::new()));
        if self.empty { Err("gone") } else { Ok(()) }
    }

    async fn rollback(&mut self) -> Result<(), Self::Error> {
        self.sent.push(("rollback", Vec::new()));
        Ok(())
    }

    async fn send(&mut self, statement: Statement, values: &[SqlValue]) -> Result<Vec<SqlRow>, Self::Error> {
        let text = SqlDialect::mysql().statement(statement);
        assert_eq!(text.matches('?').count(), values.len(), "{text}");
        self.sent.push((statement.key(), values.to_vec()));
        if self.fails_at == Some(statement) {
            return Err("deadlock");
        }
        Ok(match statement {
            Statement::CustomersOfName => (1..=self.names as i64).map(|id| vec![SqlValue::Int(id)]).collect(),
            Statement::OldestNewOrder if self.empty => Vec::new(),
            Statement::OldestNewOrder if self.skips == values[1].int().unwrap() => Vec::new(),
            Statement::LockCustomer => {
                let mut row = vec![SqlValue::Text("x".to_owned()); 14];
                row[9] = SqlValue::Text(self.credit.to_owned());
                vec![row]
            }
            Statement::ShowWarehouse | Statement::ShowDistrict | Statement::CustomerData => {
                vec![vec![SqlValue::Text("d".repeat(500))]]
            }
            _ => vec![vec![SqlValue::Int(7), SqlValue::Int(0)]],
        })
    }

    async fn send_many(&mut self, many: Many, count: usize, values: &[SqlValue]) -> Result<Vec<SqlRow>, Self::Error> {
        let text = SqlDialect::mysql().many(many, count);
        assert_eq!(text.matches('?').count(), values.len(), "{text}");
        self.sent.push((many.key(), values.to_vec()));
        Ok(match many {
            Many::Items => values.iter().map(|item| vec![item.clone(), SqlValue::Text("1.50".to_owned())]).collect(),
            Many::LockStocks => values
                .chunks(2)
                .map(|key| {
                    let mut row = vec![key[0].clone(), key[1].clone(), SqlValue::Int(15), SqlValue::Null];
                    row.extend((1..=10).map(|district| SqlValue::Text(format!("info {district}"))));
                    row
                })
                .collect(),
            Many::CustomersOfOrders => values.chunks(3).map(|key| vec![key[1].clone(), SqlValue::Int(7)]).collect(),
            // A database answers groups in any order.
            Many::AmountsOfOrders => {
                let amount = |key: &[SqlValue]| SqlValue::Text(format!("{}.34", 10 + key[1].int().unwrap()));
                values.rchunks(3).map(|key| vec![key[1].clone(), amount(key)]).collect()
            }
            Many::AddLines | Many::RemoveNewOrders | Many::CarryOrders | Many::DeliverLines => Vec::new(),
        })
    }

    async fn text(&mut self, _: &str) -> Result<Vec<SqlRow>, Self::Error> {
        Ok(Vec::new())
    }
}

/// What never waits is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("the twin does not wait"),
    }
}

fn run(twin: &mut Twin, input: &TerminalInput) -> Result<TransactionEnd, TransactionFault<&'static str>> {
    now(transact(twin, input, "2026-01-31 12:00:00"))
}

fn order(lines: &[(i64, i64)], wrong: bool) -> TerminalInput {
    let lines = lines.iter().map(|&(item, quantity)| OrderLine { item, supply: 1, quantity }).collect();
    TerminalInput::NewOrder(NewOrder { warehouse: 1, district: 3, customer: 5, lines, wrong })
}

fn pay(customer: CustomerKey) -> TerminalInput {
    let (warehouse, district) = (1, 2);
    TerminalInput::Payment(PaymentInput {
        warehouse,
        district,
        customer_warehouse: 4,
        customer_district: 5,
        customer,
        cents: 123_456,
    })
}

impl Twin {
    fn of(&self, key: &str) -> Vec<&Vec<SqlValue>> {
        self.sent.iter().filter(|(sent, _)| *sent == key).map(|(_, values)| values).collect()
    }
}

#[test]
fn an_order_takes_from_stock_fills_it_up_and_books_its_lines() {
    let mut twin = Twin::default();
    assert_eq!(run(&mut twin, &order(&[(10, 4), (10, 4), (11, 5)], false)), Ok(TransactionEnd::Committed));
    let left: Vec<_> = twin.of("take-stock").iter().map(|values| values[0].int().unwrap()).collect();
    // 15 − 4 = 11; the same item again: 11 − 4 + 91; 15 − 5 = 10 is just enough.
    assert_eq!(left, [11, 98, 10]);
    let lines = twin.of("add-lines")[0];
    assert_eq!((lines[2].int(), lines[7].clone(), lines[8].text()), (Some(7), SqlValue::cents(600), "info 3"));
    assert_eq!(twin.sent.last().unwrap().0, "commit");
}

#[test]
fn an_order_with_a_wrong_item_is_taken_back_and_counts_as_done() {
    let mut twin = Twin::default();
    assert_eq!(
        run(&mut twin, &order(&[(10, 1), (crate::input::UNUSED_ITEM, 1)], true)),
        Ok(TransactionEnd::RolledBack)
    );
    assert!(twin.of("take-stock").is_empty() && twin.sent.last().unwrap().0 == "rollback");
}

#[test]
fn of_customers_of_a_name_the_one_in_the_middle_pays() {
    for (names, middle) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
        let mut twin = Twin { names, credit: "GC", ..Twin::default() };
        run(&mut twin, &pay(CustomerKey::Name("BARBARBAR".to_owned()))).unwrap();
        assert_eq!(twin.of("lock-customer")[0][2].int(), Some(middle), "of {names}");
    }
    let nobody = run(&mut Twin::default(), &pay(CustomerKey::Name("NOBODY".to_owned())));
    assert_eq!(nobody, Err(TransactionFault::Missing("a customer of that name")));
}

#[test]
fn the_payment_of_a_bad_credit_is_written_into_the_customers_data() {
    let mut twin = Twin { credit: "BC", ..Twin::default() };
    run(&mut twin, &pay(CustomerKey::Number(6))).unwrap();
    let data = twin.of("pay-bad-credit")[0][2].text();
    assert!(data.starts_with("6 5 4 2 1 1234.56 ddd") && data.len() == 500, "{data}");
    assert!(twin.of("pay-customer").is_empty());
}

#[test]
fn a_payment_takes_the_warehouse_for_which_most_others_wait_after_its_district() {
    let mut twin = Twin { credit: "GC", ..Twin::default() };
    run(&mut twin, &pay(CustomerKey::Number(6))).unwrap();
    let at = |key: &str| twin.sent.iter().position(|(sent, _)| *sent == key).unwrap();
    assert!(at("pay-district") < at("pay-warehouse") && at("pay-warehouse") < at("lock-customer"));
}

#[test]
fn a_delivery_sends_each_step_once_for_all_districts_and_passes_over_those_without_new_orders() {
    let delivery = TerminalInput::Delivery(DeliveryInput { warehouse: 1, carrier: 9 });
    let mut twin = Twin { skips: 4, ..Twin::default() };
    run(&mut twin, &delivery).unwrap();
    for step in ["remove-new-orders", "carry-orders", "customers-of-orders", "deliver-lines", "amounts-of-orders"] {
        assert_eq!(twin.of(step).len(), 1, "{step}");
    }
    assert_eq!(twin.of("carry-orders")[0].len(), 1 + 3 * 9);
    let credits: Vec<_> =
        twin.of("credit-customer").iter().map(|values| (values[0].clone(), values[2].int())).collect();
    let expected =
        [1, 2, 3, 5, 6, 7, 8, 9, 10].map(|district| (SqlValue::cents(1034 + 100 * district), Some(district)));
    assert_eq!(credits, expected, "each customer has the amount of their own district's order");
    let mut twin = Twin { empty: true, ..Twin::default() };
    assert_eq!(run(&mut twin, &delivery), Err(TransactionFault::Commit("gone")), "what a commit answers is told apart");
    assert!(twin.of("credit-customer").is_empty() && twin.of("remove-new-orders").is_empty());
}

#[test]
fn what_fails_before_the_commit_has_not_been_done() {
    let mut twin = Twin { fails_at: Some(Statement::AddNewOrder), ..Twin::default() };
    assert_eq!(run(&mut twin, &order(&[(10, 4)], false)), Err(TransactionFault::Before("deadlock")));
    assert!(twin.of("commit").is_empty() && twin.of("add-lines").is_empty());
}

#[test]
fn questions_ask_and_write_nothing() {
    let status = OrderStatus { warehouse: 1, district: 2, customer: CustomerKey::Number(3) };
    let level = StockLevel { warehouse: 1, district: 2, threshold: 15 };
    for input in [TerminalInput::OrderStatus(status), TerminalInput::StockLevel(level)] {
        let mut twin = Twin::default();
        run(&mut twin, &input).unwrap();
        assert!(twin.sent.iter().all(|(key, _)| {
            let one = Statement::ALL.iter().find(|statement| statement.key() == *key);
            one.is_none_or(|statement| SqlDialect::mysql().statement(*statement).trim().starts_with("SELECT"))
        }));
    }
}
