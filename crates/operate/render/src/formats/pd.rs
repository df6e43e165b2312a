//! `pd.toml`.

use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let head = super::head("#", site, "PD's settings");
    let later = "Read at the first start only: then PD keeps them itself, and SQL or pd-ctl changes them.";
    let content = format!("{head}{}\n{}", crate::document::comment("#", 0, later), advice::pd(site)?.map().to_toml());
    Ok(RenderedFile::new(FileFormat::Pd, "pd.toml", content))
}

#[cfg(test)]
mod tests {
    use crate::FileFormat;
    use crate::testing::file;

    #[test]
    fn the_settings_of_an_example() {
        let text = file("htap.toml", FileFormat::Pd).content;
        let read: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(read["replication"]["isolation-level"].as_str(), Some("zone"));
        insta::assert_snapshot!(text);
    }
}
