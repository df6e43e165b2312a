//! Order-Status (clause 2.6.2.2).

use super::{End, Fault, int, ints, number};
use crate::input::OrderStatus;
use crate::{Session, Statement};

pub(super) async fn order_status<S: Session>(session: &mut S, status: &OrderStatus) -> Result<End, Fault<S::Error>> {
    let (warehouse, district) = (status.warehouse, status.district);
    let customer = number(session, &status.customer, warehouse, district).await?;
    let key = ints([warehouse, district, customer]);
    session.send(Statement::ShowCustomer, &key).await?;
    let order = int(&session.send(Statement::LastOrder, &key).await?, 0, "a customer's order")?;
    session.send(Statement::ShowLines, &ints([warehouse, district, order])).await?;
    Ok(End::Committed)
}
