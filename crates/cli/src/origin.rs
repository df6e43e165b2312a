//! The command and the day that a page was made with.

use std::borrow::Cow;

use catalog::Date;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use report::page::PageOrigin;
use textfile::shell_word;

/// The origin of a page that this process makes: its own command line, and today by UTC.
pub(crate) fn origin() -> PageOrigin {
    let args = std::env::args_os().skip(1).map(|arg| word(&masked(&arg.to_string_lossy())));
    PageOrigin {
        command: std::iter::once("diskwright".to_owned()).chain(args).collect::<Vec<_>>().join(" "),
        program: concat!("diskwright ", env!("CARGO_PKG_VERSION")).to_owned(),
        made: Some(today()),
        ..PageOrigin::default()
    }
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// An argument as a word of a shell.
fn word(arg: &str) -> String {
    let name = arg.trim_start_matches('-');
    let dashes = &arg[..arg.len() - name.len()];
    if name.is_empty() && !dashes.is_empty() { dashes.to_owned() } else { format!("{dashes}{}", shell_word(name)) }
}

/// An argument without the password of a URL in it: a page is passed on.
fn masked(arg: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = arg.split_once("://") else { return arg.into() };
    let authority = rest.find(['/', '?', '#']).map_or(rest, |end| &rest[..end]);
    let Some((user, host)) = authority.rsplit_once('@') else { return arg.into() };
    let Some((name, _)) = user.split_once(':') else { return arg.into() };
    format!("{scheme}://{name}:***@{host}{}", &rest[authority.len()..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_given_to_a_shell_again() {
        let words = ["--out", "-", "a b", "--pin=disk=gp3", "$HOME", "--x=a b"].map(word);
        assert_eq!(words, ["--out", "-", "'a b'", "--pin=disk=gp3", "'$HOME'", "--'x=a b'"]);
    }

    #[test]
    fn no_password_of_a_url_is_written_into_a_page() {
        let url = |text| masked(text).into_owned();
        assert_eq!(url("mysql://bench:s3:cr@t@db:3306/tpcc?x=1"), "mysql://bench:***@db:3306/tpcc?x=1");
        assert_eq!(url("--from=http://a:b@h"), "--from=http://a:***@h");
        for plain in ["mysql://bench@db/tpcc", "tikv://10.0.0.5:2379", "a:b@c", "http://h/a:b@c"] {
            assert_eq!(url(plain), plain);
        }
    }
}
