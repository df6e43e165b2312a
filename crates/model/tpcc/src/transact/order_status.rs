//! Order-Status (clause 2.6.2.2).

use super::{TransactionEnd, TransactionFault, int, ints, number};
use crate::input::OrderStatus;
use crate::{SqlSession, Statement};

pub(super) async fn order_status<S: SqlSession>(
    session: &mut S,
    status: &OrderStatus,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
    let (warehouse, district) = (status.warehouse, status.district);
    let customer = number(session, &status.customer, warehouse, district).await?;
    let key = ints([warehouse, district, customer]);
    session.send(Statement::ShowCustomer, &key).await?;
    let order = int(&session.send(Statement::LastOrder, &key).await?, 0, "a customer's order")?;
    session.send(Statement::ShowLines, &ints([warehouse, district, order])).await?;
    Ok(TransactionEnd::Committed)
}
