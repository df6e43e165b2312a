//! Passwords of RDS that AWS IAM signs, renewed for as long as the program runs.

use std::time::Duration;

use aws::{AwsError, AwsOptions, AwsSession};

use crate::{Password, SqlTarget};

/// A token opens connections for fifteen minutes.
const RENEWED: Duration = Duration::from_secs(600);
/// Until a failed renewal is tried again.
const AGAIN: Duration = Duration::from_secs(30);

/// Why there is no signed password.
#[derive(Debug, thiserror::Error)]
pub enum IamError {
    /// The account does not sign.
    #[error(transparent)]
    Aws(#[from] AwsError),
    /// The thread that renews it cannot be started.
    #[error("no thread can be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A token for the user of a database, signed with the keys of `profile`, in place of a password. A thread renews it.
///
/// # Errors
/// When the account does not sign the first one.
pub fn iam_password(target: &SqlTarget, profile: Option<&str>) -> Result<Password, IamError> {
    let options = AwsOptions {
        profile: profile.map(str::to_owned),
        region: region(&target.host).map(str::to_owned),
        ..AwsOptions::default()
    };
    let (session, host, port, user) =
        (AwsSession::new(&options)?, target.host.clone(), target.port, target.user.clone());
    let sign = move || session.db_token(&host, port, &user);
    let password = Password::new(sign()?);
    let renewed = password.clone();
    let renew = move || {
        let mut wait = RENEWED;
        loop {
            std::thread::sleep(wait);
            // What fails now may work before the token ends; a connection that is refused then says so.
            wait = match sign() {
                Ok(token) => {
                    renewed.renew(token);
                    RENEWED
                }
                Err(_) => AGAIN,
            };
        }
    };
    std::thread::Builder::new().name("token".to_owned()).spawn(renew)?;
    Ok(password)
}

/// The region in the name of a database: `orders.c1.us-west-2.rds.amazonaws.com`.
fn region(host: &str) -> Option<&str> {
    let (before, _) = host.split_once(".rds.amazonaws.com")?;
    before.rsplit('.').next().filter(|region| region.matches('-').count() >= 2)
}

#[cfg(test)]
mod tests {
    use super::region;

    #[test]
    fn the_region_stands_in_the_name() {
        assert_eq!(region("orders.c1.us-west-2.rds.amazonaws.com"), Some("us-west-2"));
        assert_eq!(region("orders.cluster-c1.us-gov-west-1.rds.amazonaws.com"), Some("us-gov-west-1"));
        assert_eq!(region("orders.c1.cn-north-1.rds.amazonaws.com.cn"), Some("cn-north-1"));
        assert_eq!(region("db.example.com"), None);
    }
}
