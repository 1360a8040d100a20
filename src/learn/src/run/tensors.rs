//! The named tensors of a checkpoint, and the safetensors file that they and a text are written to.

use crate::run::checkpoint_error::{MAX_BYTES, Problem};
use crate::train::optimizer::{Optimizer, OptimizerKind};
use nets::file::{Problem as File, WEIGHT_BOUND};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use support::text::clip;

/// The entry of the metadata.
const ENTRY: &str = "okapi.checkpoint";
/// The tensor of the optimizer's steps.
const STEPS: &str = "optimizer.steps";
/// The tensor of the hash.
const HASH: &str = "sha256";

/// A tensor of one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    dtype: Dtype,
    /// Little-endian.
    bytes: Vec<u8>,
}

impl From<&[f32]> for Tensor {
    fn from(values: &[f32]) -> Self {
        Self { dtype: Dtype::F32, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }
}

impl From<u64> for Tensor {
    fn from(value: u64) -> Self {
        Self { dtype: Dtype::U64, bytes: value.to_le_bytes().to_vec() }
    }
}

impl From<Vec<u8>> for Tensor {
    fn from(bytes: Vec<u8>) -> Self {
        Self { dtype: Dtype::U8, bytes }
    }
}

impl Tensor {
    fn view(&self) -> Result<TensorView<'_>, Problem> {
        let Self { dtype, bytes } = self;
        TensorView::new(*dtype, vec![bytes.len() * 8 / dtype.bitsize()], bytes).map_err(Problem::encode)
    }
}

/// The tensors of a checkpoint by their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tensors(BTreeMap<String, Tensor>);

impl Tensors {
    /// Adds a tensor.
    pub fn with(mut self, name: &str, tensor: impl Into<Tensor>) -> Self {
        self.0.insert(name.to_owned(), tensor.into());
        self
    }

    /// Adds an optimizer's memory, and the steps that it has taken if it counts them. The tensors' names begin with this prefix, empty for
    /// the only optimizer.
    pub fn with_optimizer(self, prefix: &str, optimizer: &Optimizer) -> Self {
        let name = |name: &str| format!("{prefix}{name}");
        let memory = optimizer.memory().into_iter();
        let tensors = memory.fold(self, |tensors, (of, values)| tensors.with(&name(of), values));
        optimizer.steps().into_iter().fold(tensors, |tensors, steps| tensors.with(&name(STEPS), steps))
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The tensor of this name, of `number` f32.
    ///
    /// # Errors
    /// If there is no such tensor.
    pub fn floats(&self, name: &str, number: usize) -> Result<Vec<f32>, Problem> {
        let bytes = self.get(name, Dtype::F32).filter(|bytes| bytes.len() == 4 * number);
        Ok(floats(bytes.ok_or_else(|| Problem::tensor(name, format_args!("{number} F32")))?).collect())
    }

    /// The tensor of this name, of bytes.
    ///
    /// # Errors
    /// If there is no such tensor.
    pub fn bytes(&self, name: &str) -> Result<&[u8], Problem> {
        self.get(name, Dtype::U8).ok_or_else(|| Problem::tensor(name, "U8"))
    }

    /// The optimizer of this kind for `number` parameters, whose tensors' names begin with this prefix.
    ///
    /// # Errors
    /// If its memory is not there.
    pub fn optimizer(&self, prefix: &str, kind: OptimizerKind, number: usize) -> Result<Optimizer, Problem> {
        let name = |name: &str| format!("{prefix}{name}");
        let steps = || {
            let steps = self.get(&name(STEPS), Dtype::U64).and_then(|bytes| bytes.try_into().ok());
            steps.map(u64::from_le_bytes).ok_or_else(|| Problem::tensor(&name(STEPS), "1 U64"))
        };
        Optimizer::restore(kind, steps, |of| self.floats(&name(of), number))
    }

    fn get(&self, name: &str, dtype: Dtype) -> Option<&[u8]> {
        self.0.get(name).filter(|tensor| tensor.dtype == dtype).map(|tensor| &tensor.bytes[..])
    }

    /// The one rule on values, for reading and writing; a NaN is in no range.
    fn check(&self) -> Result<(), Problem> {
        for (name, tensor) in self.0.iter().filter(|(_, tensor)| tensor.dtype == Dtype::F32) {
            let range = match name.as_str() {
                "params" | "average" => -WEIGHT_BOUND..=WEIGHT_BOUND,
                name if name.contains("square") => 0.0..=f32::MAX,
                _ => f32::MIN..=f32::MAX,
            };
            if let Some(value) = floats(&tensor.bytes).find(|value| !range.contains(value)) {
                return Err(Problem::Refused(format!("has the value {value} in {name}: training has diverged")));
            }
        }
        Ok(())
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

/// The bytes of a file with this text and these tensors.
///
/// # Errors
/// If a value is so far out that training has diverged, or all is longer than a file may be.
pub(super) fn encode(text: String, tensors: &Tensors) -> Result<Vec<u8>, Problem> {
    tensors.check()?;
    let mut views = Vec::new();
    for (name, tensor) in &tensors.0 {
        views.push((name.as_str(), tensor.view()?));
    }
    let hash = Tensor::from(hash(&text, views.iter().map(|(name, tensor)| (*name, tensor))).to_vec());
    views.push((HASH, hash.view()?));
    // One entry: the order of several would be that of a hash map.
    let metadata = HashMap::from([(ENTRY.to_owned(), text)]);
    let file = safetensors::serialize(views, Some(metadata)).map_err(Problem::encode)?;
    check_size(file.len() as u64)?;
    Ok(file)
}

/// The text and the tensors of a file.
///
/// # Errors
/// If it is no checkpoint, it is damaged, or a value is out of range.
pub(super) fn decode(file: &[u8]) -> Result<(String, Tensors), Problem> {
    let foreign = |error: SafeTensorError| Problem::of_file(&File::NotSafetensors(clip(&error.to_string())));
    let (_, header) = SafeTensors::read_metadata(file).map_err(foreign)?;
    let text = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY)).cloned();
    let text = text.ok_or_else(|| Problem::foreign(ENTRY))?;
    let stored = SafeTensors::deserialize(file).map_err(foreign)?;
    // The hash comes first: what has it was written so, and can only be another version's.
    let mut contents: Vec<_> = stored.iter().filter(|(name, _)| *name != HASH).collect();
    contents.sort_by_key(|(name, _)| *name);
    let hash = hash(&text, contents.iter().map(|(name, tensor)| (*name, tensor)));
    if !stored.tensor(HASH).is_ok_and(|stated| stated.data() == hash) {
        return Err(Problem::Damage("is damaged: its content does not have the hash that it states".to_owned()));
    }
    let tensor = |view: TensorView<'_>| Tensor { dtype: view.dtype(), bytes: view.data().to_vec() };
    let tensors = Tensors(contents.into_iter().map(|(name, view)| (name.to_owned(), tensor(view))).collect());
    tensors.check()?;
    Ok((text, tensors))
}

/// Refuses a file of more bytes than a checkpoint has.
pub(super) fn check_size(bytes: u64) -> Result<(), Problem> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(Problem::Damage(format!("has {bytes} bytes, but no checkpoint has more than {MAX_BYTES}")))
}

fn hash<'a>(text: &str, tensors: impl Iterator<Item = (&'a str, &'a TensorView<'a>)>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(text);
    for (name, tensor) in tensors {
        hasher.update(format!("\n{name} {} {:?}\n", tensor.dtype(), tensor.shape()));
        hasher.update(tensor.data());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_the_name_of_their_tensor() {
        let told = |name: &str, value: f32| {
            let tensors = Tensors::default().with("a", 7_u64).with(name, &[0.0, value][..]);
            encode("text".to_owned(), &tensors).map(drop).map_err(|problem| problem.to_string())
        };
        for (name, value) in [
            ("params", WEIGHT_BOUND),
            ("params", -WEIGHT_BOUND),
            ("average", WEIGHT_BOUND),
            ("adam.mean", f32::MIN),
            ("adam.mean_square", f32::MAX),
            ("adam.mean_square", 0.0),
        ] {
            assert_eq!(told(name, value), Ok(()), "{name} {value}");
        }
        for (name, value) in [
            ("params", 2.0 * WEIGHT_BOUND),
            ("average", -2.0 * WEIGHT_BOUND),
            ("adam.mean", f32::INFINITY),
            ("adam.mean", f32::NAN),
            ("adam.mean_square", -1.0),
        ] {
            let expected = format!("has the value {value} in {name}: training has diverged");
            assert_eq!(told(name, value), Err(expected));
        }
    }

    #[test]
    fn tensors_are_found_by_name_type_and_number() {
        let optimizer = Optimizer::restore(OptimizerKind::Adam, || Ok::<_, ()>(9), |_| Ok(vec![0.5, 2.0])).unwrap();
        let tensors = Tensors::default().with("bytes", vec![1, 2]).with("floats", &[1.5, -2.0][..]);
        let tensors = tensors.with_optimizer("of.", &optimizer);
        let (text, read) = decode(&encode("a text".to_owned(), &tensors).unwrap()).unwrap();
        assert_eq!((&*text, &read), ("a text", &tensors));
        assert!(read.has("floats") && !read.has("none"));
        assert_eq!(read.floats("floats", 2).unwrap(), [1.5, -2.0]);
        assert_eq!(read.bytes("bytes").unwrap(), [1, 2]);
        assert_eq!(read.optimizer("of.", OptimizerKind::Adam, 2).unwrap(), optimizer);
        let told = |problem: Problem| problem.to_string();
        assert_eq!(told(read.floats("floats", 3).unwrap_err()), "lacks the tensor floats of 3 F32 values");
        assert_eq!(told(read.floats("bytes", 2).unwrap_err()), "lacks the tensor bytes of 2 F32 values");
        assert_eq!(told(read.bytes("floats").unwrap_err()), "lacks the tensor floats of U8 values");
        let other = read.optimizer("", OptimizerKind::Adam, 2).unwrap_err();
        assert_eq!(told(other), "lacks the tensor optimizer.steps of 1 U64 values");
        assert!(check_size(MAX_BYTES).is_ok() && check_size(MAX_BYTES + 1).is_err());
    }
}
