//! Stock-Level (clause 2.8.2.2).

use super::{TransactionEnd, TransactionFault, int, ints};
use crate::input::StockLevel;
use crate::{SqlSession, Statement};

pub(super) async fn stock_level<S: SqlSession>(
    session: &mut S,
    level: &StockLevel,
) -> Result<TransactionEnd, TransactionFault<S::Error>> {
    let (warehouse, district) = (level.warehouse, level.district);
    let next = int(&session.send(Statement::NextOrder, &ints([warehouse, district])).await?, 0, "a district")?;
    let values = ints([warehouse, district, next, next, warehouse, level.threshold]);
    session.send(Statement::LowStock, &values).await?;
    Ok(TransactionEnd::Committed)
}
