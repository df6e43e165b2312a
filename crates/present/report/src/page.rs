//! The page of a plan: the answer first, then the evidence.

use plan::PlanResult;

use crate::PageQuestion;
use crate::html::escape;
use crate::sections;
use crate::words;

/// The whole page: one file, nothing fetched.
pub fn plan_page(title: &str, asked: &PageQuestion, answer: &PlanResult) -> String {
    let class = if answer.plans.is_empty() { "answer no" } else { "answer" };
    let mut body =
        format!("<h1>{}</h1>\n<p class=\"{class}\">{}</p>\n", escape(title), escape(&words::headline(answer)));
    body += &sections::asked(asked);
    body += &sections::shortfalls(answer);
    body += &sections::front(asked, answer);
    body += &sections::ranking(answer);
    body += &sections::utilisation(answer);
    body += &sections::why_not(answer);
    body += &sections::uncertainty(answer);
    body += &sections::foot(asked, answer);
    shell(title, &body)
}

/// A page around its content.
pub(crate) fn shell(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title),
        include_str!("style.css")
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sample;

    fn pages() -> [String; 2] {
        [sample::answer(), sample::out_of_reach()].map(|answer| plan_page("TPC-C <5000>", &sample::asked(), &answer))
    }

    /// The tags that a page opens and closes, checked to be in balance.
    pub(crate) fn check_balance(page: &str) {
        let mut open: Vec<&str> = Vec::new();
        for part in page.split('<').skip(1) {
            let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("a tag is not closed: <{part}"));
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
            } else if !tag.ends_with('/') && !tag.starts_with('!') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
    }

    /// A page is one file that runs nothing.
    pub(crate) fn check_alone(page: &str) {
        for forbidden in ["http", "//", "src=", "href=", "url(", "@import", "<script", "onload"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn every_element_is_closed() {
        pages().iter().for_each(|page| check_balance(page));
    }

    #[test]
    fn nothing_is_fetched_and_nothing_runs() {
        pages().iter().for_each(|page| check_alone(page));
    }

    #[test]
    fn the_answer_comes_before_everything_else() {
        let [page, no_page] = pages();
        let at = |page: &str, text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
        assert!(at(&page, "The cheapest deployment") < at(&page, "<svg"));
        assert!(at(&no_page, "No deployment in the catalogue") < at(&no_page, "<dl"));
    }

    #[test]
    fn titles_from_outside_stay_text() {
        assert!(pages().iter().all(|page| page.contains("TPC-C &lt;5000&gt;") && !page.contains("<5000>")));
    }

    #[test]
    fn the_page_is_as_it_was() {
        let [page, no_page] = pages();
        let without_style = |page: &str| {
            let (head, rest) = page.split_once("<style>").unwrap();
            format!("{head}{}", rest.split_once("</style>").unwrap().1)
        };
        insta::assert_snapshot!("plan_page", without_style(&page));
        insta::assert_snapshot!("out_of_reach_page", without_style(&no_page));
    }
}
