//! New-Order (clause 2.4.2.2).

use super::{TransactionEnd, TransactionFault, int, ints};
use crate::input::NewOrder;
use crate::{Many, SqlRow, SqlSession, SqlValue, Statement};

pub(super) async fn new_order<S: SqlSession>(
    session: &mut S,
    order: &NewOrder,
    now: &str,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
    let (warehouse, district) = (order.warehouse, order.district);
    let customer = session.send(Statement::CustomerAndTax, &ints([warehouse, district, order.customer])).await?;
    customer.first().ok_or(TransactionFault::Missing("a customer"))?;
    let place = ints([warehouse, district]);
    let number = int(&session.send(Statement::LockDistrict, &place).await?, 0, "a district")?;
    session.send(Statement::CountOrder, &place).await?;
    let local = order.lines.iter().all(|line| line.supply == warehouse);
    let mut values = ints([warehouse, district, number, order.customer]).to_vec();
    values.push(SqlValue::Text(now.to_owned()));
    values.extend(ints([order.lines.len() as i64, i64::from(local)]));
    session.send(Statement::AddOrder, &values).await?;
    session.send(Statement::AddNewOrder, &ints([warehouse, district, number])).await?;

    let items: Vec<_> = order.lines.iter().map(|line| SqlValue::Int(line.item)).collect();
    let items = session.send_many(Many::Items, items.len(), &items).await?;
    if order.wrong {
        return Ok(TransactionEnd::RolledBack);
    }
    let keys: Vec<_> = order.lines.iter().flat_map(|line| ints([line.supply, line.item])).collect();
    let mut stocks = session.send_many(Many::LockStocks, order.lines.len(), &keys).await?;
    let mut lines = Vec::new();
    for (place, line) in (1..).zip(&order.lines) {
        let find = |rows: &[SqlRow], key: &[i64]| {
            rows.iter().position(|row| row.iter().zip(key).all(|(value, key)| value.int() == Some(*key)))
        };
        let price = find(&items, &[line.item]).and_then(|at| items[at].get(1)?.units(2));
        let price = price.ok_or(TransactionFault::Missing("an item"))?;
        let at = find(&stocks, &[line.supply, line.item]).ok_or(TransactionFault::Missing("a stock"))?;
        let stock = &mut stocks[at];
        let there = stock.get(2).and_then(SqlValue::int).ok_or(TransactionFault::Missing("a stock's quantity"))?;
        // Ten stay, else it is filled up by 91 (2.4.2.2).
        let left = if there - line.quantity >= 10 { there - line.quantity } else { there - line.quantity + 91 };
        // The same item may come twice in an order.
        stock[2] = SqlValue::Int(left);
        let info = stock.get(3 + district as usize).map_or("", SqlValue::text).to_owned();
        let remote = i64::from(line.supply != warehouse);
        let values = ints([left, line.quantity, remote, line.supply, line.item]);
        session.send(Statement::TakeStock, &values).await?;
        lines.extend(ints([warehouse, district, number, place, line.item, line.supply, line.quantity]));
        lines.extend([SqlValue::cents(price * line.quantity), SqlValue::Text(info)]);
    }
    session.send_many(Many::AddLines, order.lines.len(), &lines).await?;
    Ok(TransactionEnd::Committed)
}
