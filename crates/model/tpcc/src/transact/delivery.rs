//! Delivery (clause 2.7.4.2), all ten districts in one transaction, as 2.7.2.2 allows, and each step for all of them at once.

use super::{TransactionEnd, TransactionFault, ints};
use crate::input::DeliveryInput;
use crate::{DISTRICTS, Many, SqlRow, SqlSession, SqlValue, Statement};

pub(super) async fn delivery<S: SqlSession>(
    session: &mut S,
    delivery: &DeliveryInput,
    now: &str,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
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
        return Ok(TransactionEnd::Committed);
    }
    let with = |first: SqlValue| -> Vec<SqlValue> { std::iter::once(first).chain(keys.iter().cloned()).collect() };
    session.send_many(Many::RemoveNewOrders, count, &keys).await?;
    session.send_many(Many::CarryOrders, count, &with(SqlValue::Int(delivery.carrier))).await?;
    let customers = session.send_many(Many::CustomersOfOrders, count, &keys).await?;
    session.send_many(Many::DeliverLines, count, &with(SqlValue::Text(now.to_owned()))).await?;
    let amounts = session.send_many(Many::AmountsOfOrders, count, &keys).await?;
    for district in districts {
        let customer =
            of(&customers, district).and_then(SqlValue::int).ok_or(TransactionFault::Missing("a new order's order"))?;
        let amount = of(&amounts, district).and_then(|amount| amount.units(2));
        let amount = amount.ok_or(TransactionFault::Missing("an order's line"))?;
        let mut values = vec![SqlValue::cents(amount)];
        values.extend(ints([warehouse, district, customer]));
        session.send(Statement::CreditCustomer, &values).await?;
    }
    Ok(TransactionEnd::Committed)
}

/// Second column of a district's row.
fn of(rows: &[SqlRow], district: i64) -> Option<&SqlValue> {
    rows.iter().find(|row| row.first().and_then(SqlValue::int) == Some(district))?.get(1)
}
