//! A password of RDS that AWS IAM signs, renewed for as long as the program runs.

use mysql::{Password, SqlTarget};

use crate::failure::Failure;

#[cfg(not(feature = "cloud"))]
pub(super) fn password(_: &SqlTarget, _: Option<&str>) -> Result<Password, Failure> {
    Err(crate::diagnose::cloud::without())
}

#[cfg(feature = "cloud")]
pub(super) fn password(target: &SqlTarget, profile: Option<&str>) -> Result<Password, Failure> {
    use std::time::Duration;

    /// A token opens connections for fifteen minutes.
    const RENEWED: Duration = Duration::from_secs(600);
    const AGAIN: Duration = Duration::from_secs(30);
    let options = aws::AwsOptions {
        profile: profile.map(str::to_owned),
        region: region(&target.host).map(str::to_owned),
        ..aws::AwsOptions::default()
    };
    let (session, host, port, user) =
        (aws::AwsSession::new(&options)?, target.host.clone(), target.port, target.user.clone());
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
    let thread = std::thread::Builder::new().name("token".to_owned()).spawn(renew);
    thread.map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
    Ok(password)
}

/// The region in the name of a database: `orders.c1.us-west-2.rds.amazonaws.com`.
#[cfg(feature = "cloud")]
fn region(host: &str) -> Option<&str> {
    let (before, _) = host.split_once(".rds.amazonaws.com")?;
    before.rsplit('.').next().filter(|region| region.matches('-').count() >= 2)
}

#[cfg(all(test, feature = "cloud"))]
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
