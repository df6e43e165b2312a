//! MySQL's `my.cnf`.

use crate::keys::Value;
use crate::site::Site;
use crate::{File, Format, RenderError, advice};

pub(super) fn files(site: &Site<'_>) -> Result<Vec<File>, RenderError> {
    let mut files = Vec::new();
    for group in site.storage() {
        let settings = advice::mysql(site, group)?;
        let mut out = format!("{}\n[mysqld]\n", super::head("#", site, "MySQL's settings"));
        for setting in settings.iter() {
            // MySQL reads K, M and G, or bytes.
            let value = match setting.value() {
                Value::Size(bytes) => bytes.0.to_string(),
                other => other.to_string(),
            };
            out += &setting.explained(site.version).comment("#", 0);
            out += &format!("{} = {value}\n", setting.name());
        }
        let several = site.storage().count() > 1;
        let name = if several { format!("my-{}.cnf", site.group_name(group)) } else { "my.cnf".to_owned() };
        files.push(File::new(Format::MyCnf, name, out));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::testing::file;

    #[test]
    fn the_settings_of_two_examples() {
        for name in ["rds-gp2.toml", "rds-io1.toml"] {
            insta::assert_snapshot!(name, file(name, Format::MyCnf).content);
        }
    }
}
