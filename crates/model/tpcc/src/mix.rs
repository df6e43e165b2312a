//! Which transaction comes next (clause 5.2.4).

use crate::TpccRandom;

/// The five transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransactionKind {
    /// Enters an order; what is counted as tpmC.
    NewOrder,
    /// Takes a customer's payment.
    Payment,
    /// Shows a customer's last order.
    OrderStatus,
    /// Delivers the oldest order of each district.
    Delivery,
    /// Counts the items of which little is left.
    StockLevel,
}

impl TransactionKind {
    /// All of them, in the order of the standard.
    pub const ALL: [Self; 5] = [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// Its name, as benchmark tools write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewOrder => "new-order",
            Self::Payment => "payment",
            Self::OrderStatus => "order-status",
            Self::Delivery => "delivery",
            Self::StockLevel => "stock-level",
        }
    }

    /// Cards in the deck: ten for each of the first two and one for each other give the standard's least shares (5.2.4.2).
    fn cards(self) -> usize {
        match self {
            Self::NewOrder | Self::Payment => 10,
            Self::OrderStatus | Self::Delivery | Self::StockLevel => 1,
        }
    }
}

/// A deck of cards that is dealt to its end and shuffled anew: exact shares, in an order of chance.
#[derive(Debug, Clone, Default)]
pub struct CardDeck(Vec<TransactionKind>);

impl CardDeck {
    /// The next card.
    pub fn draw(&mut self, random: &mut TpccRandom) -> TransactionKind {
        if let Some(card) = self.0.pop() {
            return card;
        }
        self.0 = TransactionKind::ALL.iter().flat_map(|kind| std::iter::repeat_n(*kind, kind.cards())).collect();
        random.shuffle(&mut self.0);
        self.0.pop().unwrap_or(TransactionKind::NewOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deck_has_the_shares_of_the_standard() {
        let (mut deck, random) = (CardDeck::default(), &mut TpccRandom::new(3, 0));
        let size: usize = TransactionKind::ALL.iter().map(|kind| kind.cards()).sum();
        let mut orders = Vec::new();
        for _ in 0..50 {
            let dealt: Vec<_> = (0..size).map(|_| deck.draw(random)).collect();
            for kind in TransactionKind::ALL {
                assert_eq!(dealt.iter().filter(|card| **card == kind).count(), kind.cards(), "{kind:?}");
            }
            orders.push(dealt);
        }
        orders.sort_unstable();
        orders.dedup();
        assert!(orders.len() > 45, "decks are shuffled: {} different ones", orders.len());
        // 5.2.3: Payment at least 43 %, the last three at least 4 % each.
        for (kind, least) in TransactionKind::ALL.into_iter().zip([0.0, 0.43, 0.04, 0.04, 0.04]) {
            assert!(kind.cards() as f64 / size as f64 >= least, "{kind:?}");
        }
    }
}
