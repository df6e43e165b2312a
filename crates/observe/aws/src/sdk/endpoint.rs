//! Which endpoints may be asked.

use std::net::IpAddr;

use http_client::ServerAddress;

use crate::AwsError;

/// Refuses endpoints with a password, and those that secrets would reach in the clear. What the hypervisor or the container's agent
/// serves on a link of its own may be asked: instance metadata (169.254.169.254, fd00:ec2::254) and the credentials of ECS and EKS
/// (169.254.170.2, 169.254.170.23, fd00:ec2::23), by the SDK's reference, "Container credential provider" and "IMDS credential
/// provider", 2026-11-28.
pub(super) fn admitted(endpoint: &str, insecure: bool) -> Result<(), AwsError> {
    let secrets = "name a profile, whose keys stand in ~/.aws";
    // What a request asks for is no part of the address.
    let endpoint = endpoint.split(['?', '#']).next().unwrap_or_default();
    let address = ServerAddress::parse("the endpoint for AWS", endpoint, "http://127.0.0.1:5000", secrets);
    let address = address.map_err(|error| AwsError::Endpoint(error.to_string()))?;
    if address.is_exposed() && !insecure && !is_on_link(address.host()) {
        return Err(AwsError::Endpoint(format!(
            "the endpoint for AWS at {} is beyond this machine and not encrypted, and anybody on the way could read the token of the \
             credentials: use https, or --insecure if the network is trusted",
            crate::options::shown(address.as_str())
        )));
    }
    Ok(())
}

/// Whether no router passes on what is sent there.
fn is_on_link(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match bare.parse() {
        Ok(IpAddr::V4(ip)) => ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_unicast_link_local() || ip.segments()[..2] == [0xfd00, 0xec2],
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_goes_no_farther_than_this_machine_and_its_own_link() {
        for near in [
            "http://127.0.0.1:5000/path?Action=a@b",
            "http://169.254.169.254/latest/api/token",
            "http://[fd00:ec2::23]/v1/credentials",
            "https://ec2.us-west-2.amazonaws.com/",
        ] {
            assert!(admitted(near, false).is_ok(), "{near}");
        }
        for far in [
            "http://192.0.2.1/",
            "http://10.0.0.1:80",
            "http://ec2.example",
            "http://169.254.example",
            "http://[fd00::1]",
        ] {
            let told = admitted(far, false).unwrap_err().to_string();
            assert!(told.contains("--insecure"), "{far}: {told}");
            assert!(admitted(far, true).is_ok(), "{far}");
        }
        let told = admitted("http://me:hush@127.0.0.1/", true).unwrap_err().to_string();
        assert!(told.contains("password") && !told.contains("hush"), "{told}");
    }
}
