//! The table of options of a TD-Leaf run.

/// Passes the table to a macro. A row is `NAME [<- OLD_NAME] FIELD: TYPE = DEFAULT, flag FLAG_TYPE, VALUE_NAME`: the name
/// in files, which renaming the Rust field does not change; the name that files had before; what `serde` or `clap` need
/// besides.
macro_rules! options {
    ($then:ident) => {
        $then! {
            /// Seed of every random choice
            "seed" seed: u64 = 1, flag u64, "N";
            /// Rollouts of an iteration, each from its own start position
            "positions" positions: usize = 64, flag usize, "N";
            /// Plies of self-play in a rollout
            "plies" plies: usize = 12, flag usize, "N";
            /// Nodes of each search of a rollout
            "nodes" nodes: u64 = 256, flag u64, "N";
            /// Policy of the searches: `uniform`, `static` or `network` (the policy network inside the program)
            "policy" policy: RolloutPolicy = RolloutPolicy::Static, flag RolloutPolicy, "POLICY";
            /// Random legal moves at the start of a rollout
            "random_moves" random_moves: u32 = 1, flag u32, "N";
            /// Decay of the weight of later temporal differences, per stride, 0 to 1
            "lambda" lambda: f32 = 0.7, flag f32, "X";
            /// Plies between the two values of a temporal difference: 1, or 2 to compare values of the same side to move
            "stride" stride: u32 = 1, flag u32, "N";
            /// KnightCap's rule: count a rise of the value only if the search predicted the opponent's reply (needs stride 2)
            "knightcap" knightcap: bool = false, flag bool, "BOOL",
                clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
            /// Plies of a rollout whose leaves are learned from: `every` or `first`
            "leaves" leaves: Leaves = Leaves::Every, flag Leaves, "PLIES";
            /// Loss of a leaf's value against its target: `l1` or `squared`
            "loss" loss: LossKind = LossKind::Squared, flag LossKind, "LOSS";
            /// Play each rollout to the end of the game, at most 400 plies, and use the result as the last value
            "result" result: bool = false, flag bool, "BOOL",
                clap(num_args = 0..=1, require_equals = true, default_missing_value = "true");
            /// Number of earlier iterations whose targets each optimizer step also learns from
            "replay" replay: usize = 12, flag usize, "N";
            /// Horizon, in iterations, of the running mean of the weights, which is the net that is saved; 0 saves the last weights
            "average" average: u64 = 2_000, flag u64, "N";
            /// Layer sizes of the net; an initial net with fewer units is widened to them and plays nearly as before
            "topology" topology: Topology = Topology::THESIS, flag Topology, "SIZES", serde serde(with = "kinds::text");
            /// Initial net: `bootstrap` (random weights, then trained on material), `shipped` (the one inside the program) or a file
            "initial" initial: Initial = Initial::Bootstrap, flag Initial, "NET";
            /// Games or positions to start from (PGN, EPD or FEN, also .zst) [default: openings generated during training]
            "starts" starts: Option<PathBuf> = None, flag PathBuf, "FILE";
            /// EPD files whose positions are removed from the start positions
            "exclude" exclude: Vec<PathBuf> = Vec::new(), flag Vec<PathBuf>, "FILE";
            /// AdaDelta: decay of its running means, below 1
            "rho" rho: f32 = 0.99, flag f32, "X";
            /// AdaDelta: constant under its square roots
            "epsilon" epsilon: f32 = 1e-12, flag f32, "X";
            /// AdaDelta: factor of its steps (learning rate)
            "rate" rate: f32 = 60.0, flag f32, "X";
            /// Iteration from which the rate decays with the inverse square root of the iteration, which keeps the size of
            /// AdaDelta's steps constant; 0 never decays it
            "decay_start" <- "settle" decay_start: u64 = 3_000, flag u64, "N";
            /// Iterations after which the run ends [default: no limit]
            "iterations" iterations: Option<u64> = None, flag u64, "N";
            /// Minutes of training after which the run ends [default: no limit]
            "minutes" minutes: Option<f64> = None, flag f64, "X";
            /// Minutes between two checkpoints; 0 saves after every iteration
            "checkpoint_minutes" checkpoint_minutes: f64 = 5.0, flag f64, "X";
            /// Number of newest checkpoints that are kept
            "keep_checkpoints" <- "keep" keep_checkpoints: usize = 5, flag usize, "N";
            /// EPD file of the Strategic Test Suite, which is then scored during training [default: only the suite inside the program]
            "sts" sts: Option<PathBuf> = None, flag PathBuf, "FILE";
            /// Minutes of training between two runs of the suites; 0 runs none
            "suite_minutes" <- "sts_minutes" suite_minutes: f64 = 30.0, flag f64, "X";
            /// Nodes per position of the suites
            "suite_nodes" <- "sts_nodes" suite_nodes: u64 = 10_000, flag u64, "N";
            /// Threads; the net does not depend on their number [default: all cores]
            "threads" threads: Option<usize> = None, flag usize, "N";
            /// Size of the transposition table of each thread, in KB
            "hash_kilobytes" <- "table_kilobytes" hash_kilobytes: usize = 256, flag usize, "KB";
        }
    };
}

pub(crate) use options;
