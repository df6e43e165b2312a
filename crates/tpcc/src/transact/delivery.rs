//! Delivery (clause 2.7.4.2), all ten districts in one transaction, as 2.7.2.2 allows.

use super::{End, Fault, int, ints};
use crate::input::Delivery;
use crate::{DISTRICTS, Session, Statement, Value};

pub(super) async fn delivery<S: Session>(
    session: &mut S,
    delivery: &Delivery,
    now: &str,
) -> Result<End, Fault<S::Error>> {
    let warehouse = delivery.warehouse;
    for district in 1..=DISTRICTS {
        let oldest = session.send(Statement::OldestNewOrder, &ints([warehouse, district])).await?;
        // A district without new orders is skipped.
        let Some(order) = oldest.first().and_then(|row| row.first()?.int()) else { continue };
        let key = ints([warehouse, district, order]);
        session.send(Statement::RemoveNewOrder, &key).await?;
        let customer = int(&session.send(Statement::CustomerOfOrder, &key).await?, 0, "a new order's order")?;
        let with = |first: Value| -> Vec<Value> { std::iter::once(first).chain(key.clone()).collect() };
        session.send(Statement::CarryOrder, &with(Value::Int(delivery.carrier))).await?;
        session.send(Statement::DeliverLines, &with(Value::Text(now.to_owned()))).await?;
        let rows = session.send(Statement::AmountOfOrder, &key).await?;
        let amount = rows.first().and_then(|row| row.first()?.units(2)).ok_or(Fault::Missing("an order's line"))?;
        let mut values = vec![Value::cents(amount)];
        values.extend(ints([warehouse, district, customer]));
        session.send(Statement::CreditCustomer, &values).await?;
    }
    Ok(End::Committed)
}
