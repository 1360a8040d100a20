use super::*;
use crate::run::ranks::in_threads::InThreads;
use std::thread;

/// What `work` gives on each of so many ranks.
fn on<T: Send>(size: usize, work: impl Fn(Team) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let spawn = |ranks| scope.spawn(move || work(Team::new(ranks, None)));
        let threads: Vec<_> = InThreads::all(size).into_iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn claims(net: &str) -> anyhow::Result<Vec<Claim>> {
    Ok(vec![("net".to_owned(), net.to_owned())])
}

#[test]
fn what_is_gathered_comes_in_the_order_of_the_ranks() {
    for (rank, all) in
        on(3, |team| team.gather_all(vec![team.ranks.rank() as u8; team.ranks.rank()])).iter().enumerate()
    {
        assert_eq!(all, &[vec![], vec![1], vec![2, 2]], "rank {rank}");
    }
    let shards = on(3, |team| (team.shards(16), team.shards(2)));
    assert_eq!(shards, [(0..5, 0..0), (5..10, 0..1), (10..16, 1..2)]);
}

#[test]
fn each_number_is_taken_once_and_a_slow_rank_takes_few() {
    for _ in 0..20 {
        let taken = on(3, |team| {
            let rounds = [7, 40].map(|end| {
                team.deal();
                let numbers = std::iter::repeat_with(|| team.take()).take_while(|number| *number < end);
                let slowly = numbers.inspect(|_| thread::sleep(Duration::from_millis(team.ranks.rank() as u64)));
                let numbers: Vec<usize> = slowly.collect();
                team.gather_all(Vec::new());
                numbers
            });
            Vec::from(rounds)
        });
        for (round, end) in [7, 40].into_iter().enumerate() {
            let mut all: Vec<usize> = taken.iter().flat_map(|rounds| rounds[round].clone()).collect();
            all.sort_unstable();
            assert_eq!(all, Vec::from_iter(0..end));
        }
        assert!(taken[0][1].len() > taken[2][1].len(), "{taken:?}");
    }
}

#[test]
fn ranks_agree_or_hear_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let agree = |net: fn(usize) -> anyhow::Result<Vec<Claim>>, other: &Path| {
        on(3, |team| {
            let rank = team.ranks.rank();
            let folder = if rank == 2 { other } else { &run };
            team.agree(net(rank), folder).map_err(|error| format!("{error:#}"))
        })
    };
    assert!(agree(|_| claims("a"), &run).iter().all(Result::is_ok));
    assert_eq!(std::fs::read_dir(&run).unwrap().count(), 0);
    let said = agree(|rank| claims(if rank == 1 { "b" } else { "a" }), &run);
    assert!(said[0].as_ref().unwrap_err().contains("net is a on rank 0 and b on rank 1"), "{said:?}");
    assert!(said[1..].iter().all(|said| said.as_ref().unwrap_err().contains("the exit status 1")));
    let said = agree(|rank| if rank == 2 { bail!("cannot read the net x") } else { claims("a") }, &run);
    assert_eq!(said[0].as_ref().unwrap_err(), "rank 2: cannot read the net x");
    let said = agree(|_| claims("a"), folder.path());
    assert!(said[0].as_ref().unwrap_err().starts_with("rank 2 does not see the folder of rank 0 as"), "{said:?}");
    assert!(said.iter().all(Result::is_err));
}

#[test]
fn commands_and_failures_travel() {
    let folder = tempfile::tempdir().unwrap();
    let said = on(2, |team| {
        team.agree(claims("a"), folder.path()).unwrap();
        if team.is_first() {
            team.command(&Command::Step(3..7));
            let failed = team.all_done(Ok(())).unwrap_err().to_string();
            team.end(130);
            failed
        } else {
            assert_eq!(team.receive(), Command::Step(3..7));
            assert!(team.all_done(Err(anyhow!("no data"))).is_err());
            let Command::End(status) = team.receive() else { panic!("no end") };
            team.ended(status).unwrap_err().to_string()
        }
    });
    assert_eq!(said, ["rank 1: no data", "rank 0 has ended the training with the exit status 130"]);
    let alone = Team::alone();
    assert!(alone.agree(claims("a"), Path::new("/nowhere")).is_ok() && alone.all_done(Ok(())).is_ok());
    alone.end(0);
}

#[test]
fn a_signal_to_any_rank_reaches_rank_0() {
    for (work, signal) in [(true, 15), (false, 15), (true, 0), (false, 0)] {
        let heard = thread::scope(|scope| {
            let spawn = |ranks: Arc<dyn Ranks>| {
                scope.spawn(move || {
                    let interrupt = Interrupt::from_flag(Arc::default());
                    if ranks.rank() == 1 && signal > 0 {
                        interrupt.raise(signal);
                    }
                    let team = Team::new(ranks, Some(interrupt.clone()));
                    if work {
                        team.all_done(Ok(())).unwrap();
                    } else {
                        let said = team.gather(vec![7]);
                        assert_eq!(said, if team.is_first() { vec![vec![7]; 3] } else { Vec::new() });
                    }
                    (interrupt.signal(), interrupt.raised())
                })
            };
            let threads: Vec<_> = InThreads::all(3).into_iter().map(spawn).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(heard, [(signal, signal > 0), (signal, signal > 0), (0, false)], "{work}");
    }
}

#[test]
fn ranks_leave_when_they_are_refused_or_ended() {
    let folder = tempfile::tempdir().unwrap();
    let state = |team: &Team| (team.together.load(Relaxed), team.refused.load(Relaxed));
    let seen = on(2, |team| {
        let mut seen = vec![state(&team)];
        let refused = team.agree(claims(if team.is_first() { "a" } else { "b" }), folder.path());
        assert!(refused.is_err());
        seen.push(state(&team));
        team.agree(claims("a"), folder.path()).unwrap();
        seen.push(state(&team));
        if team.is_first() {
            team.end(0);
        } else {
            assert_eq!(team.receive(), Command::End(0));
            team.ended(0).unwrap();
        }
        seen.push(state(&team));
        seen
    });
    assert_eq!(seen[0], [(false, false), (false, true), (true, true), (false, true)]);
    assert_eq!(seen[1], [(false, false), (false, false), (true, false), (false, false)]);
}

#[test]
fn the_later_a_rank_the_longer_it_waits() {
    let patience = on(3, |team| (team.patience().as_secs(), team.size(), team.is_alone(), format!("{team:?}")));
    let expected = [(60, "rank 0 of 3"), (121, "rank 1 of 3"), (122, "rank 2 of 3")];
    assert_eq!(patience, expected.map(|(seconds, shown)| (seconds, 3, false, shown.to_owned())));
    assert!(Team::alone().is_alone());
}
