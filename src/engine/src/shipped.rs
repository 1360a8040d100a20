//! The nets that ship with Okapi, inside the program.

use crate::linear_file;
use crate::network_policy::NetworkPolicy;
use nets::{QuantizedPolicyNet, QuantizedValueNet};
use search::LinearPolicy;
use std::sync::{Arc, OnceLock};

/// The value net that ships with Okapi.
pub static SHIPPED_VALUE_NET: &[u8] = include_bytes!("../../../nets/trained/value.safetensors");

/// The shipped net, ready to evaluate.
///
/// # Errors
/// If `OKAPI_ISA` cannot be obeyed; the shipped file itself is tested.
pub fn shipped_value_net() -> anyhow::Result<Arc<QuantizedValueNet>> {
    let (net, _) = nets::file::from_bytes("that ships with Okapi", SHIPPED_VALUE_NET)?;
    Ok(Arc::new(QuantizedValueNet::new(&net, kernels::active()?)))
}

/// The policy net that ships with Okapi.
pub static SHIPPED_POLICY_NET: &[u8] = include_bytes!("../../../nets/trained/moves.safetensors");

/// The shipped policy net, ready to play.
///
/// # Errors
/// If `OKAPI_ISA` cannot be obeyed; the shipped file itself is tested.
pub fn shipped_policy_net() -> anyhow::Result<Arc<QuantizedPolicyNet>> {
    static PACKED: OnceLock<Arc<QuantizedPolicyNet>> = OnceLock::new();
    if let Some(net) = PACKED.get() {
        return Ok(net.clone());
    }
    let (net, _) = nets::file::policy_from_bytes("that ships with Okapi", SHIPPED_POLICY_NET)?;
    let packed = Arc::new(QuantizedPolicyNet::new(&net, kernels::active()?));
    Ok(PACKED.get_or_init(|| packed).clone())
}

/// The linear policy that ships with Okapi.
pub static SHIPPED_LINEAR_POLICY: &[u8] = include_bytes!("../../../nets/trained/linear.safetensors");

/// The shipped linear policy, ready to play.
///
/// # Errors
/// None with the shipped file, which is tested.
pub fn shipped_linear_policy() -> anyhow::Result<LinearPolicy> {
    static READY: OnceLock<LinearPolicy> = OnceLock::new();
    if let Some(policy) = READY.get() {
        return Ok(policy.clone());
    }
    let policy = linear_file::from_bytes(SHIPPED_LINEAR_POLICY)?;
    Ok(READY.get_or_init(|| policy).clone())
}

/// The policy that ships with Okapi: network and linear policy.
///
/// # Errors
/// If `OKAPI_ISA` cannot be obeyed.
pub fn shipped_policy() -> anyhow::Result<NetworkPolicy> {
    Ok(NetworkPolicy::new(shipped_policy_net()?, shipped_linear_policy()?))
}
