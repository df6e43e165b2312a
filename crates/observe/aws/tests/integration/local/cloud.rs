//! A region with as many volumes as wanted, two to an instance, each with every series at every period: what EC2 answers as
//! XML and CloudWatch as CBOR, in pages as large as AWS's.

use super::http::{Request, Response};

/// AWS's most points of a page.
const POINTS_OF_A_PAGE: usize = 100_800;

/// The region.
pub(crate) struct Cloud {
    pub(crate) volumes: usize,
    /// How many points every series has.
    pub(crate) points: usize,
    /// The `Timestamps` and `Values` that all series share.
    series: Vec<u8>,
}

impl Cloud {
    /// Points start at `start` in Unix time, `step` seconds apart.
    pub(crate) fn new(volumes: usize, points: usize, start: i64, step: i64) -> Self {
        let mut series = Vec::new();
        text(&mut series, "Timestamps");
        head(&mut series, 4, points);
        for point in 0..points {
            // Tag 1 before a 64-bit number: seconds of Unix time.
            series.extend([0xc1, 0xfb]);
            series.extend(((start + point as i64 * step) as f64).to_be_bytes());
        }
        text(&mut series, "Values");
        head(&mut series, 4, points);
        for point in 0..points {
            series.push(0xfb);
            series.extend((point as f64 % 97.0).to_be_bytes());
        }
        Self { volumes, points, series }
    }

    pub(crate) fn answer(&self, request: &Request) -> Response {
        if request.path.ends_with("GetMetricData") {
            return Response { status: 200, content_type: "application/cbor", body: self.metric_data(&request.body) };
        }
        let body = String::from_utf8_lossy(&request.body);
        let form = |name: &str| body.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let inner = match form("Action") {
            Some("DescribeVolumes") => self.volumes(form("NextToken"), form("MaxResults")),
            Some("DescribeInstances") => instances(&body),
            Some("DescribeInstanceTypes") => TYPES.to_owned(),
            Some("DescribeInstanceStatus") if form("NextToken").is_none() => {
                format!("{STATUS}<nextToken>2</nextToken>")
            }
            Some("DescribeInstanceStatus") => STATUS.replace("0001", "0002"),
            _ => String::new(),
        };
        let name = form("Action").unwrap_or_default();
        let body = format!("<{name}Response>{inner}</{name}Response>").into_bytes();
        Response { status: 200, content_type: "text/xml", body }
    }

    fn volumes(&self, token: Option<&str>, most: Option<&str>) -> String {
        let first: usize = token.map_or(0, |token| token.parse().expect("a token of ours"));
        let most = most.map_or(self.volumes, |most| most.parse().expect("a number"));
        let until = (first + most).min(self.volumes);
        let items: String = (first..until)
            .map(|i| {
                format!(
                    "<item><volumeId>vol-{i:08x}</volumeId><size>400</size><availabilityZone>us-west-2a</availabilityZone>\
                     <status>in-use</status><attachmentSet><item><volumeId>vol-{i:08x}</volumeId>\
                     <instanceId>i-{:08x}</instanceId><device>/dev/sdf</device></item></attachmentSet>\
                     <volumeType>gp3</volumeType><iops>6000</iops><throughput>250</throughput></item>",
                    i / 2
                )
            })
            .collect();
        let next = if until < self.volumes { format!("<nextToken>{until}</nextToken>") } else { String::new() };
        format!("<volumeSet>{items}</volumeSet>{next}")
    }

    fn metric_data(&self, request: &[u8]) -> Vec<u8> {
        let queries = count(request, b"MetricStat\xa3") + count(request, b"MetricStat\xbf");
        let a_page = (POINTS_OF_A_PAGE / self.points.max(1)).max(1);
        let page: usize = after(request, b"NextToken").map_or(0, |token| token.parse().expect("a token of ours"));
        let (first, until) = (page * a_page, ((page + 1) * a_page).min(queries));
        let mut body = Vec::with_capacity((until - first) * (self.series.len() + 64) + 64);
        let more = until < queries;
        head(&mut body, 5, 1 + usize::from(more));
        if more {
            text(&mut body, "NextToken");
            text(&mut body, &(page + 1).to_string());
        }
        text(&mut body, "MetricDataResults");
        head(&mut body, 4, until - first);
        for query in first..until {
            head(&mut body, 5, 4);
            text(&mut body, "Id");
            text(&mut body, &format!("q{query}"));
            text(&mut body, "StatusCode");
            text(&mut body, "Complete");
            body.extend(&self.series);
        }
        body
    }
}

const TYPES: &str = "<instanceTypeSet><item><instanceType>m5.large</instanceType><hypervisor>nitro</hypervisor></item>\
                     </instanceTypeSet>";

/// As EC2's reference of DescribeInstanceStatus shows it.
const STATUS: &str = "<instanceStatusSet><item><instanceId>i-0001</instanceId><eventsSet><item>\
                      <instanceEventId>instance-event-0001</instanceEventId><code>system-reboot</code>\
                      <description>scheduled reboot</description><notBefore>2026-12-01T03:00:00.000Z</notBefore>\
                      <notAfter>2026-12-01T05:00:00.000Z</notAfter></item></eventsSet></item></instanceStatusSet>";

/// The instances that a filter names.
fn instances(form: &str) -> String {
    let ids = form.split('&').filter_map(|pair| pair.strip_prefix("Filter.1.Value.")?.split_once('='));
    let item = |(_, id): (&str, &str)| {
        format!(
            "<item><instanceId>{id}</instanceId><instanceType>m5.large</instanceType>\
             <monitoring><state>disabled</state></monitoring></item>"
        )
    };
    let items: String = ids.map(item).collect();
    format!("<reservationSet><item><instancesSet>{items}</instancesSet></item></reservationSet>")
}

/// The head of a CBOR item: major type and length.
fn head(body: &mut Vec<u8>, major: u8, length: usize) {
    match length {
        0..24 => body.push(major << 5 | length as u8),
        24..256 => body.extend([major << 5 | 24, length as u8]),
        256..65_536 => {
            body.push(major << 5 | 25);
            body.extend((length as u16).to_be_bytes());
        }
        _ => {
            body.push(major << 5 | 26);
            body.extend((length as u32).to_be_bytes());
        }
    }
}

pub(crate) fn text(body: &mut Vec<u8>, text: &str) {
    head(body, 3, text.len());
    body.extend(text.as_bytes());
}

fn count(request: &[u8], word: &[u8]) -> usize {
    request.windows(word.len()).filter(|window| *window == word).count()
}

/// The short text that follows a key.
fn after<'a>(request: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let at = request.windows(key.len()).position(|window| window == key)? + key.len();
    let length = usize::from(request[at] & 0x1f);
    std::str::from_utf8(&request[at + 1..at + 1 + length]).ok()
}
