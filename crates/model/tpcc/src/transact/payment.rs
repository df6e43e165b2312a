//! Payment (clause 2.5.2.2).

use super::{TransactionEnd, TransactionFault, ints, number};
use crate::input::PaymentInput;
use crate::{SqlSession, SqlValue, Statement};

/// A customer's data are cut at so many characters.
pub(crate) const DATA: usize = 500;

pub(super) async fn payment<S: SqlSession>(
    session: &mut S,
    payment: &PaymentInput,
    now: &str,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
    let (warehouse, district, amount) = (payment.warehouse, payment.district, SqlValue::cents(payment.cents));
    // The district first: the warehouse's row is the one that most others wait for, and is locked until the commit.
    session.send(Statement::PayDistrict, &[amount.clone(), SqlValue::Int(warehouse), SqlValue::Int(district)]).await?;
    let of = session.send(Statement::ShowDistrict, &ints([warehouse, district])).await?;
    session.send(Statement::PayWarehouse, &[amount.clone(), SqlValue::Int(warehouse)]).await?;
    let at = session.send(Statement::ShowWarehouse, &ints([warehouse])).await?;
    let name = |row: Option<&crate::SqlRow>| row.and_then(|row| row.first()).map(|name| name.text().to_owned());
    let at = name(at.first()).ok_or(TransactionFault::Missing("a warehouse"))?;
    let of = name(of.first()).ok_or(TransactionFault::Missing("a district"))?;

    let (customer_warehouse, customer_district) = (payment.customer_warehouse, payment.customer_district);
    let customer = number(session, &payment.customer, customer_warehouse, customer_district).await?;
    let key = ints([customer_warehouse, customer_district, customer]);
    let rows = session.send(Statement::LockCustomer, &key).await?;
    let credit = rows.first().and_then(|row| row.get(9)).ok_or(TransactionFault::Missing("a customer"))?;
    let mut values = vec![amount.clone(), amount.clone()];
    if credit.text() == "BC" {
        let rows = session.send(Statement::CustomerData, &key).await?;
        let data = rows.first().and_then(|row| row.first()).ok_or(TransactionFault::Missing("a customer's data"))?;
        let mut said = format!(
            "{customer} {customer_district} {customer_warehouse} {district} {warehouse} {} {}",
            amount.digits(),
            data.text()
        );
        // All that is in it is ASCII.
        said.truncate(DATA);
        values.push(SqlValue::Text(said));
        values.extend(key);
        session.send(Statement::PayBadCredit, &values).await?;
    } else {
        values.extend(key);
        session.send(Statement::PayCustomer, &values).await?;
    }
    let mut history = ints([customer_district, customer_warehouse, customer, district, warehouse]).to_vec();
    history.extend([SqlValue::Text(now.to_owned()), amount, SqlValue::Text(format!("{at}    {of}"))]);
    session.send(Statement::AddHistory, &history).await?;
    Ok(TransactionEnd::Committed)
}
