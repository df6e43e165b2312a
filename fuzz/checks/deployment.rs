//! Deployments: whatever is read is written as TOML that reads the same.

use deployment::Deployment;
use textfile::{Text, from_toml};

/// Reads the bytes as a deployment.
pub(crate) fn deployment(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match from_toml::<Deployment>(&Text::new("deployment.toml", text)) {
        Ok(deployment) => {
            let written = toml::to_string(&deployment).unwrap();
            let again = from_toml::<Deployment>(&Text::new("written.toml", written.as_str()));
            assert_eq!(again.as_ref(), Ok(&deployment), "{written}");
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
}
