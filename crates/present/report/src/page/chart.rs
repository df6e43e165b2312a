//! A chart: series over one axis, the limits that hold for them, and marks.

/// Series over a common axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageChart {
    /// What it shows, in a few words.
    pub heading: String,
    /// How to read it, in a sentence; may be empty.
    pub caption: String,
    /// The horizontal axis; `None` for the clock of the page.
    pub x: Option<ChartAxis>,
    /// The vertical axis.
    pub y: ChartAxis,
    /// What is drawn.
    pub series: Vec<ChartSeries>,
    /// Lines across the chart, in the unit of the vertical axis.
    pub limits: Vec<ChartLimit>,
    /// Lines down the chart, in the unit of the horizontal axis: of charts that are not over time.
    pub marks: Vec<ChartMark>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartAxis {
    /// What it measures: `p99`, `data disk`; may be empty where the heading says it.
    pub name: String,
    /// Unit of its values: `ms`, `MiB/s`.
    pub unit: String,
    /// How values lie on it.
    pub scale: AxisScale,
}

/// How values lie on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AxisScale {
    /// Evenly, from zero.
    #[default]
    FromZero,
    /// Evenly, from about the least value; the page says that the axis does not begin at zero.
    Fitted,
    /// By decades, for latencies: a disk that is 20 times as slow stays on the chart beside the others.
    Log,
}

/// One series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartSeries {
    /// What it shows.
    pub name: String,
    /// How it is drawn.
    pub style: SeriesStyle,
    /// Positions, ascending, and values; a line is broken where the value is `None`.
    pub points: Vec<(f64, Option<f64>)>,
    /// What is told of each point when it is under the cursor; empty, or one for each point.
    pub notes: Vec<String>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeriesStyle {
    /// A line.
    #[default]
    Line,
    /// A line with a mark at each point.
    Marked,
    /// Marks with their number in the table, and no line.
    Points,
}

/// A line across a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLimit {
    /// Its height, in the unit of the vertical axis.
    pub value: f64,
    /// What it is: `limit 6,000 IOPS`.
    pub name: String,
}

/// A line down a chart, or a span of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartMark {
    /// What kind of thing.
    pub kind: MarkKind,
    /// Where it begins.
    pub from: f64,
    /// Where it ends; `None` for an instant.
    pub until: Option<f64>,
    /// What it is, in a few words.
    pub text: String,
    /// Its number in the text of the page; 0 where it has none.
    pub number: usize,
}

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// Something that happened: a fault, a change of load.
    Event,
    /// Something that was found.
    Finding,
    /// Something that was asked for.
    Target,
}

impl ChartAxis {
    /// An axis from zero.
    pub fn of(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned(), scale: AxisScale::FromZero }
    }

    /// The same axis on another scale.
    pub fn scaled(self, scale: AxisScale) -> Self {
        Self { scale, ..self }
    }

    /// Name and unit, as the chart writes them.
    pub fn label(&self) -> String {
        [self.name.as_str(), self.unit.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl PageChart {
    /// Whether there is anything to draw.
    pub fn has_values(&self) -> bool {
        self.series.iter().any(ChartSeries::has_values)
    }
}

impl ChartSeries {
    /// A line.
    pub fn line(name: impl Into<String>, points: Vec<(f64, Option<f64>)>) -> Self {
        Self { name: name.into(), style: SeriesStyle::Line, points, notes: Vec::new() }
    }

    /// Whether any value is a number.
    pub fn has_values(&self) -> bool {
        self.points.iter().any(|(_, value)| value.is_some_and(f64::is_finite))
    }
}
