//! Delivery (clause 2.7.4.2), all ten districts in one transaction, as 2.7.2.2 allows, and each step for all of them at once.

use super::{End, Fault, ints};
use crate::input::Delivery;
use crate::{DISTRICTS, Many, Row, Session, Statement, Value};

pub(super) async fn delivery<S: Session>(
    session: &mut S,
    delivery: &Delivery,
    now: &str,
) -> Result<End, Fault<S::Error>> {
    let warehouse = delivery.warehouse;
    let (mut districts, mut keys) = (Vec::new(), Vec::new());
    for district in 1..=DISTRICTS {
        let oldest = session.send(Statement::OldestNewOrder, &ints([warehouse, district])).await?;
        // A district without new orders is skipped.
        let Some(order) = oldest.first().and_then(|row| row.first()?.int()) else { continue };
        districts.push(district);
        keys.extend(ints([warehouse, district, order]));
    }
    let count = districts.len();
    if count == 0 {
        return Ok(End::Committed);
    }
    let with = |first: Value| -> Vec<Value> { std::iter::once(first).chain(keys.iter().cloned()).collect() };
    session.send_many(Many::RemoveNewOrders, count, &keys).await?;
    session.send_many(Many::CarryOrders, count, &with(Value::Int(delivery.carrier))).await?;
    let customers = session.send_many(Many::CustomersOfOrders, count, &keys).await?;
    session.send_many(Many::DeliverLines, count, &with(Value::Text(now.to_owned()))).await?;
    let amounts = session.send_many(Many::AmountsOfOrders, count, &keys).await?;
    for district in districts {
        let customer = of(&customers, district).and_then(Value::int).ok_or(Fault::Missing("a new order's order"))?;
        let amount = of(&amounts, district).and_then(|amount| amount.units(2));
        let amount = amount.ok_or(Fault::Missing("an order's line"))?;
        let mut values = vec![Value::cents(amount)];
        values.extend(ints([warehouse, district, customer]));
        session.send(Statement::CreditCustomer, &values).await?;
    }
    Ok(End::Committed)
}

/// What the row of a district has in its second column.
fn of(rows: &[Row], district: i64) -> Option<&Value> {
    rows.iter().find(|row| row.first().and_then(Value::int) == Some(district))?.get(1)
}
