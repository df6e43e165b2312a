//! Where labels of points go so that none covers another or a point.

/// A rectangle in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }

    fn holds(&self, other: &Self) -> bool {
        other.left >= self.left
            && other.top >= self.top
            && other.left + other.width <= self.left + self.width
            && other.top + other.height <= self.top + self.height
    }
}

/// Height of a label's line box.
pub(crate) const LINE: f64 = 16.0;
/// Radius round a point that labels keep free.
const CLEAR: f64 = 7.0;
/// A generous mean width of a character at 12 px.
pub(crate) const CHARACTER: f64 = 7.2;

/// A place for each label, in order of importance; `None` where all places round its point are taken.
/// `taken` is covered already.
pub(crate) fn place(points: &[(f64, f64)], labels: &[&str], plot: Area, taken: &[Area]) -> Vec<Option<Area>> {
    let dots: Vec<Area> = points
        .iter()
        .map(|(x, y)| Area { left: x - CLEAR, top: y - CLEAR, width: 2.0 * CLEAR, height: 2.0 * CLEAR })
        .collect();
    let mut placed: Vec<Area> = Vec::new();
    let mut free_place = |(x, y): (f64, f64), label: &str| {
        let width = label.chars().count() as f64 * CHARACTER;
        let near = |left: f64, top: f64| Area { left, top, width, height: LINE };
        let (right, left) = (x + CLEAR + 2.0, x - CLEAR - 2.0 - width);
        let (middle, above, below) = (y - LINE / 2.0, y - CLEAR - LINE, y + CLEAR);
        let candidates = [
            near(x - width / 2.0, above),
            near(right, middle),
            near(x - width / 2.0, below),
            near(left, middle),
            near(right, above),
            near(right, below),
            near(left, above),
            near(left, below),
        ];
        let free = candidates.into_iter().find(|area| {
            plot.holds(area) && !placed.iter().chain(&dots).chain(taken).any(|other| other.overlaps(area))
        });
        placed.extend(free);
        free
    };
    points.iter().zip(labels).map(|(point, label)| free_place(*point, label)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Area = Area { left: 0.0, top: 0.0, width: 600.0, height: 300.0 };

    #[test]
    fn labels_of_crowded_points_never_overlap_or_leave_the_plot() {
        let points: Vec<(f64, f64)> = (0..60).map(|i| (f64::from(i * 37 % 600), f64::from(i * 53 % 300))).collect();
        let labels = vec!["12 gp3 × 2"; points.len()];
        let placed: Vec<Area> = place(&points, &labels, PLOT, &[]).into_iter().flatten().collect();
        assert!(placed.len() > 10, "only {} labels found a place", placed.len());
        for (i, a) in placed.iter().enumerate() {
            assert!(PLOT.holds(a));
            assert!(placed[i + 1..].iter().all(|b| !a.overlaps(b)));
        }
    }

    #[test]
    fn of_two_points_at_one_place_both_find_room() {
        let placed = place(&[(300.0, 150.0); 2], &["a", "b"], PLOT, &[]);
        assert!(placed.iter().all(Option::is_some));
    }
}
