//! MySQL's `my.cnf`.

use crate::keys::SettingValue;
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

pub(super) fn files(site: &Site<'_>) -> Result<Vec<RenderedFile>, RenderError> {
    let mut files = Vec::new();
    for group in site.storage() {
        let settings = advice::mysql(site, group)?;
        let mut out = format!("{}\n[mysqld]\n", super::head("#", site, "MySQL's settings"));
        for setting in settings.iter() {
            // MySQL reads K, M and G, or bytes.
            let value = match setting.value() {
                SettingValue::Size(bytes) => bytes.0.to_string(),
                other => other.to_string(),
            };
            out += &setting.explained(site.version).comment("#", 0);
            out += &format!("{} = {value}\n", setting.name());
        }
        let several = site.storage().count() > 1;
        let name = if several { format!("my-{}.cnf", site.group_name(group)) } else { "my.cnf".to_owned() };
        files.push(RenderedFile::new(FileFormat::MyCnf, name, out));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use crate::FileFormat;
    use crate::testing::file;

    #[test]
    fn the_settings_of_two_examples() {
        for name in ["rds-gp2.toml", "rds-io1.toml"] {
            insta::assert_snapshot!(name, file(name, FileFormat::MyCnf).content);
        }
    }
}
