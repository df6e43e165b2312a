//! The planner against trying everything, on random small markets.

#[path = "small/brute.rs"]
mod brute;
use crate::small;

use std::collections::BTreeMap;

use brute::{Brute, Place};
use plan::{Plan, PlanOptions, Planner, PlanningCeilings, RejectedCandidate, RejectionReason};
use proptest::prelude::*;

fn place(plan: &Plan) -> Place {
    let group = &plan.deployment.nodes[0];
    let data = group.data.as_ref().unwrap();
    let log = group.log.as_ref().map(|l| l.volume.kind.clone());
    (group.instance.clone(), group.count, data.volume.kind.clone(), log)
}

fn cheapest(places: &BTreeMap<Place, f64>, of: impl Fn(&Place) -> bool) -> Option<&f64> {
    places.iter().filter(|(p, _)| of(p)).map(|(_, usd)| usd).min_by(|a, b| a.total_cmp(b))
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn plans_and_reasons_are_those_of_trying_everything(
        market in small::market(), model in small::engine(), task in small::task(),
    ) {
        let space = small::space();
        let ceilings = PlanningCeilings::embedded();
        let planner = Planner { space: &space, ceilings, ..Planner::new(&model, &market) };
        let answer = planner.plan(&task, &PlanOptions::default()).unwrap();
        let places = Brute { model: &model, market: &market, space: &space, ceilings, task: &task }.places();

        let mut ranking: Vec<f64> = places.values().copied().collect();
        ranking.sort_by(f64::total_cmp);
        prop_assert_eq!(answer.plans.len(), ranking.len().min(5));
        for (plan, usd) in answer.plans.iter().zip(&ranking) {
            prop_assert!(same(plan.monthly().0, *usd), "planned {}, brute force {usd}", plan.monthly().0);
            let there = places.get(&place(plan));
            prop_assert!(there.is_some_and(|usd| same(plan.monthly().0, *usd)), "{:?} costs {there:?}", place(plan));
        }

        let family = |p: &Place| market.instances.iter().find(|i| i.kind.name == p.0).unwrap().kind.family.clone();
        for why in &answer.why_not {
            let best = match &why.subject {
                RejectedCandidate::Disk(name) => cheapest(&places, |p| p.2 == *name),
                RejectedCandidate::Family(name) => cheapest(&places, |p| family(p) == *name),
            };
            match (&why.reason, best) {
                (RejectionReason::Costs { more, best: plan }, Some(usd)) => {
                    prop_assert!(same(plan.monthly().0, *usd), "{:?}", why.subject);
                    prop_assert!(same(more.0 + ranking[0], *usd));
                }
                (RejectionReason::RuledOut { .. }, None) => {}
                (reason, best) => prop_assert!(false, "{:?}: {reason:?}, brute force {best:?}", why.subject),
            }
        }
        // Whatever the first plan does not use is explained.
        if let Some(first) = answer.plans.first() {
            for offer in market.volumes.iter().filter(|v| v.kind.name != place(first).2) {
                let subject = RejectedCandidate::Disk(offer.kind.name.clone());
                prop_assert!(answer.why_not.iter().any(|w| w.subject == subject), "{subject:?}");
            }
        } else {
            prop_assert!(!answer.shortfalls.is_empty());
        }
    }
}
