//! A service that embeds lendwright, under load. Applications arrive at their own times, whether or not the ones before
//! are done, and each is timed from the moment it was due. A generator that waited for answers would send less while
//! the service is slow, and so would not see it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lendwright::decision_pool::{Bounds, Decider};
use lendwright::generate::{Options, statement_json};
use lendwright::live_policy::Reloaded;
use lendwright::{Day, LivePolicy, Request};
use lendwright_benches::turns::quantile;

use crate::{Found, put};

/// The arrival rate as a share of the capacity, and whether the policy is replaced every second meanwhile.
const PHASES: [(&str, f64, bool); 5] =
    [("50", 0.5, false), ("90", 0.9, false), ("50_reload", 0.5, true), ("90_reload", 0.9, true), ("150", 1.5, false)];

const PEOPLE: u64 = 48;
const RECORDS: u64 = 1_000;

/// The bound of the queue: at 90% of the load few wait, and above it the wait must end somewhere.
const WAITING_MAX: usize = 32;

/// Each phase takes `seconds` seconds.
pub fn load(seconds: usize, found: &mut Found) {
    let service = Service::start();
    let seconds = Duration::from_secs(seconds as u64);
    service.saturate(Duration::from_secs(2));
    put(found, "load_alone_p50_s", quantile(&service.alone(seconds / 4), 0.5));
    let mut capacities = Vec::new();
    for (name, share, reloads) in PHASES {
        // Measured again each time: a shared machine changes from minute to minute.
        let capacity = service.saturate(seconds / 4);
        capacities.push(capacity);
        let phase = service.phase(capacity * share, seconds, reloads);
        let mut put = |what: &str, value: f64| put(found, &format!("load_{name}_{what}"), value);
        put("asked_per_s", capacity * share);
        put("decided_per_s", phase.sorted.len() as f64 / phase.took);
        put("decided", phase.sorted.len() as f64);
        put("busy", phase.busy as f64);
        put("reloads", phase.reloads as f64);
        for (what, share) in [("p50_s", 0.5), ("p99_s", 0.99), ("p999_s", 0.999)] {
            put(what, quantile(&phase.sorted, share));
        }
    }
    capacities.sort_by(f64::total_cmp);
    put(found, "load_capacity_per_s", quantile(&capacities, 0.5));
}

/// The result of a phase.
struct Phase {
    /// Seconds from due to decided.
    sorted: Vec<f64>,
    busy: u64,
    reloads: u64,
    took: f64,
}

struct Service {
    runtime: tokio::runtime::Runtime,
    decider: Decider,
    bodies: Vec<Arc<[u8]>>,
    request: Request,
    folder: PathBuf,
}

impl Service {
    fn start() -> Self {
        let folder = std::env::temp_dir().join(format!("lendwright-load-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [
            ("metrics.toml", include_str!("../../rules/metrics.toml")),
            ("words.toml", include_str!("../../rules/words.toml")),
        ] {
            fs::write(folder.join(name), text).expect("a file");
        }
        write_policy(&folder, 0);
        let live = Arc::new(LivePolicy::load(folder.join("full.toml"), &[]).expect("a policy"));
        let options = Options { records: RECORDS, debits: true, ..Options::default() };
        let body = |index| statement_json(42, index, &options).expect("a statement").into();
        // One thread for the sockets that a service would have, beside those that decide.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self {
            runtime: runtime.expect("a runtime"),
            decider: Decider::new(live, Bounds { waiting_max: WAITING_MAX, ..Bounds::default() }).expect("threads"),
            bodies: (0..PEOPLE).map(body).collect(),
            request: Day::parse_iso("2026-10-31").map_or_else(Request::default, Request::on),
            folder,
        }
    }

    fn body(&self, turn: usize) -> Arc<[u8]> {
        Arc::clone(&self.bodies[turn % self.bodies.len()])
    }

    /// The time of a decision on the same path when there is no other.
    fn alone(&self, time: Duration) -> Vec<f64> {
        let (began, mut took) = (Instant::now(), Vec::new());
        while began.elapsed() < time {
            let asked = Instant::now();
            let deciding = self.decider.decide("alone", self.body(took.len()), self.request.clone());
            self.runtime.block_on(deciding).expect("a decision");
            took.push(asked.elapsed().as_secs_f64());
        }
        took.sort_by(f64::total_cmp);
        took
    }

    /// Decisions per second when there is always something waiting.
    fn saturate(&self, time: Duration) -> f64 {
        let began = Instant::now();
        let decided = Arc::new(AtomicU64::new(0));
        let askers: Vec<_> = (0..WAITING_MAX / 2)
            .map(|asker| {
                let (decider, request, decided) = (self.decider.clone(), self.request.clone(), Arc::clone(&decided));
                let bodies = self.bodies.clone();
                self.runtime.spawn(async move {
                    for body in bodies.into_iter().cycle().skip(asker) {
                        decider.decide("saturated", body, request.clone()).await.expect("a decision");
                        if began.elapsed() >= time {
                            return;
                        }
                        decided.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        std::thread::sleep(time.saturating_sub(began.elapsed()));
        let rate = decided.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
        for asker in askers {
            self.runtime.block_on(asker).expect("it ends");
        }
        rate
    }

    /// Applications at random times, `rate` per second on average.
    fn phase(&self, rate: f64, time: Duration, reloads: bool) -> Phase {
        let (took, busy) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
        let (done, reloaded) = (AtomicBool::new(false), AtomicU64::new(0));
        let began = Instant::now();
        let elapsed = std::thread::scope(|scope| {
            if reloads {
                scope.spawn(|| self.reload_each_second(&done, &reloaded));
            }
            let (mut chance, mut due, mut asked) = (Chance(0x2545_F491_4F6C_DD1D), began, Vec::new());
            while due < began + time {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let (decider, body, request) = (self.decider.clone(), self.body(asked.len()), self.request.clone());
                let (took, busy) = (Arc::clone(&took), Arc::clone(&busy));
                asked.push(self.runtime.spawn(async move {
                    match decider.decide("due", body, request).await {
                        Ok(_) => took.lock().expect("nobody panics").push(due.elapsed().as_secs_f64()),
                        Err(wrong) => {
                            assert!(wrong.is_busy(), "{wrong}");
                            busy.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }));
                due += chance.pause(rate);
            }
            for one in asked {
                self.runtime.block_on(one).expect("it ends");
            }
            done.store(true, Ordering::Relaxed);
            began.elapsed().as_secs_f64()
        });
        let mut sorted = std::mem::take(&mut *took.lock().expect("nobody panics"));
        sorted.sort_by(f64::total_cmp);
        Phase { sorted, busy: busy.load(Ordering::Relaxed), reloads: reloaded.load(Ordering::Relaxed), took: elapsed }
    }

    fn reload_each_second(&self, done: &AtomicBool, reloaded: &AtomicU64) {
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(1));
            let version = reloaded.fetch_add(1, Ordering::Relaxed) + 1;
            write_policy(&self.folder, version);
            assert!(matches!(self.decider.live().reload(), Ok(Reloaded::Swapped { .. })));
        }
        write_policy(&self.folder, 0);
        let _ = self.decider.live().reload().expect("a policy");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The scratch files may stay: they disturb nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn write_policy(folder: &Path, version: u64) {
    let text = include_str!("../policies/full.toml").replace("../../rules/metrics.toml", "metrics.toml");
    let text = text.replace("version = \"2026.11\"", &format!("version = \"2026.11.{version}\""));
    fs::write(folder.join("full.part"), text).expect("a file");
    fs::rename(folder.join("full.part"), folder.join("full.toml")).expect("a file");
}

/// The same times in every run.
struct Chance(u64);

impl Chance {
    /// The time until the next one, for independent arrivals at this rate.
    #[expect(clippy::disallowed_methods, reason = "a wait has no last digit that counts")]
    fn pause(&mut self, rate: f64) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let share = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        Duration::from_secs_f64(-(1.0 - share).ln() / rate)
    }
}
