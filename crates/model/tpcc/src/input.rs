//! What a terminal enters (clauses 2.4.1 to 2.8.1).

use crate::{DISTRICTS, DatabaseScale, ITEMS, NurandConstants, TpccRandom, TransactionKind, last_name};

/// A customer, by number or by last name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomerKey {
    /// 1 to [`CUSTOMERS`](crate::CUSTOMERS).
    Number(i64),
    /// The one in the middle of all of that name, by first names.
    Name(String),
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrder {
    /// The terminal's warehouse.
    pub warehouse: i64,
    /// 1 to 10.
    pub district: i64,
    /// The customer's number.
    pub customer: i64,
    /// 5 to 15.
    pub lines: Vec<OrderLine>,
    /// Whether the last line names an item that is not sold, for which the order is rolled back.
    pub wrong: bool,
}

/// A line of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderLine {
    /// The item.
    pub item: i64,
    /// The warehouse that supplies it.
    pub supply: i64,
    /// How many.
    pub quantity: i64,
}

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentInput {
    /// The terminal's warehouse.
    pub warehouse: i64,
    /// 1 to 10.
    pub district: i64,
    /// The customer's warehouse.
    pub customer_warehouse: i64,
    /// The customer's district.
    pub customer_district: i64,
    /// The customer.
    pub customer: CustomerKey,
    /// In cents.
    pub cents: i64,
}

/// A question for a customer's last order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderStatus {
    /// The terminal's warehouse.
    pub warehouse: i64,
    /// 1 to 10.
    pub district: i64,
    /// The customer.
    pub customer: CustomerKey,
}

/// A delivery for all districts of a warehouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryInput {
    /// The terminal's warehouse.
    pub warehouse: i64,
    /// 1 to 10.
    pub carrier: i64,
}

/// A question for what runs out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StockLevel {
    /// The terminal's warehouse.
    pub warehouse: i64,
    /// 1 to 10.
    pub district: i64,
    /// 10 to 20.
    pub threshold: i64,
}

/// Input of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalInput {
    /// See [`NewOrder`].
    NewOrder(NewOrder),
    /// See [`Payment`].
    Payment(PaymentInput),
    /// See [`OrderStatus`].
    OrderStatus(OrderStatus),
    /// See [`Delivery`].
    Delivery(DeliveryInput),
    /// See [`StockLevel`].
    StockLevel(StockLevel),
}

/// No item has this number.
pub(crate) const UNUSED_ITEM: i64 = ITEMS + 1;

impl TerminalInput {
    /// Draws one for a terminal of any warehouse and district, all being equally busy.
    pub fn draw(
        kind: TransactionKind,
        scale: DatabaseScale,
        constants: NurandConstants,
        random: &mut TpccRandom,
    ) -> Self {
        let warehouse = random.within(1..=scale.warehouses);
        let district = random.within(1..=DISTRICTS);
        match kind {
            TransactionKind::NewOrder => {
                let customer = constants.customer(random);
                let mut lines: Vec<_> =
                    (0..random.within(5..=15)).map(|_| line(warehouse, scale, constants, random)).collect();
                let wrong = random.percent(1);
                if let Some(last) = lines.last_mut().filter(|_| wrong) {
                    last.item = UNUSED_ITEM;
                }
                Self::NewOrder(NewOrder { warehouse, district, customer, lines, wrong })
            }
            TransactionKind::Payment => {
                let (customer_warehouse, customer_district) = if scale.warehouses > 1 && random.percent(15) {
                    (other(warehouse, scale, random), random.within(1..=DISTRICTS))
                } else {
                    (warehouse, district)
                };
                let customer = who(constants, random);
                let cents = random.within(100..=500_000);
                Self::Payment(PaymentInput {
                    warehouse,
                    district,
                    customer_warehouse,
                    customer_district,
                    customer,
                    cents,
                })
            }
            TransactionKind::OrderStatus => {
                Self::OrderStatus(OrderStatus { warehouse, district, customer: who(constants, random) })
            }
            TransactionKind::Delivery => Self::Delivery(DeliveryInput { warehouse, carrier: random.within(1..=10) }),
            TransactionKind::StockLevel => {
                Self::StockLevel(StockLevel { warehouse, district, threshold: random.within(10..=20) })
            }
        }
    }

    /// Which transaction it is for.
    pub fn kind(&self) -> TransactionKind {
        match self {
            Self::NewOrder(_) => TransactionKind::NewOrder,
            Self::Payment(_) => TransactionKind::Payment,
            Self::OrderStatus(_) => TransactionKind::OrderStatus,
            Self::Delivery(_) => TransactionKind::Delivery,
            Self::StockLevel(_) => TransactionKind::StockLevel,
        }
    }
}

/// One line in a hundred is supplied by another warehouse, if there is one (2.4.1.5).
fn line(warehouse: i64, scale: DatabaseScale, constants: NurandConstants, random: &mut TpccRandom) -> OrderLine {
    let item = constants.item(random);
    let supply = if scale.warehouses > 1 && random.percent(1) { other(warehouse, scale, random) } else { warehouse };
    OrderLine { item, supply, quantity: random.within(1..=10) }
}

/// Any warehouse but this one.
fn other(warehouse: i64, scale: DatabaseScale, random: &mut TpccRandom) -> i64 {
    let drawn = random.within(1..=scale.warehouses - 1);
    if drawn < warehouse { drawn } else { drawn + 1 }
}

/// Sixty of a hundred are asked for by last name (2.5.1.2).
fn who(constants: NurandConstants, random: &mut TpccRandom) -> CustomerKey {
    if random.percent(60) {
        CustomerKey::Name(last_name(constants.last_name(random)))
    } else {
        CustomerKey::Number(constants.customer(random))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn draws(warehouses: i64, kind: TransactionKind, count: usize) -> impl Iterator<Item = TerminalInput> {
        let (scale, constants) = (DatabaseScale { warehouses }, NurandConstants::of_load(1).of_run(2));
        let mut random = TpccRandom::new(5, 0);
        (0..count).map(move |_| TerminalInput::draw(kind, scale, constants, &mut random))
    }

    fn share(count: usize, all: usize) -> f64 {
        count as f64 / all as f64
    }

    #[test]
    fn orders_are_wrong_remote_and_long_as_often_as_the_standard_says() {
        let orders: Vec<_> = draws(10, TransactionKind::NewOrder, 20_000)
            .map(|input| match input {
                TerminalInput::NewOrder(order) => order,
                other => panic!("{other:?}"),
            })
            .collect();
        let wrong = share(orders.iter().filter(|order| order.wrong).count(), orders.len());
        assert!((0.007..0.013).contains(&wrong), "{wrong}");
        let lines: usize = orders.iter().map(|order| order.lines.len()).sum();
        assert!((9.9..10.1).contains(&share(lines, orders.len())));
        let remote = |order: &NewOrder| order.lines.iter().filter(|line| line.supply != order.warehouse).count();
        let remote = share(orders.iter().map(remote).sum(), lines);
        assert!((0.008..0.012).contains(&remote), "{remote}");
        assert!(orders.iter().all(|order| order.wrong == order.lines.iter().any(|line| line.item > ITEMS)));
    }

    #[test]
    fn payments_are_remote_and_by_name_as_often_as_the_standard_says() {
        let all = 20_000;
        let (mut remote, mut named) = (0, 0);
        for input in draws(10, TransactionKind::Payment, all) {
            let TerminalInput::Payment(payment) = input else { panic!("{input:?}") };
            remote += usize::from(payment.warehouse != payment.customer_warehouse);
            named += usize::from(matches!(payment.customer, CustomerKey::Name(_)));
            assert!(payment.warehouse != payment.customer_warehouse || payment.district == payment.customer_district);
        }
        assert!((0.14..0.16).contains(&share(remote, all)) && (0.585..0.615).contains(&share(named, all)));
    }

    proptest! {
        #[test]
        fn all_that_is_drawn_is_there(seed: u64, warehouses in 1i64..50) {
            let (scale, constants) = (DatabaseScale { warehouses }, NurandConstants::of_load(seed).of_run(seed));
            let random = &mut TpccRandom::new(seed, 0);
            let there = |warehouse: i64| (1..=warehouses).contains(&warehouse);
            for _ in 0..50 {
                let TerminalInput::NewOrder(order) = TerminalInput::draw(TransactionKind::NewOrder, scale, constants, random) else { panic!() };
                prop_assert!(there(order.warehouse) && order.lines.iter().all(|line| there(line.supply)));
                prop_assert!((5..=15).contains(&order.lines.len()));
                let TerminalInput::Payment(payment) = TerminalInput::draw(TransactionKind::Payment, scale, constants, random) else { panic!() };
                prop_assert!(there(payment.customer_warehouse) && (100..=500_000).contains(&payment.cents));
            }
        }
    }
}
