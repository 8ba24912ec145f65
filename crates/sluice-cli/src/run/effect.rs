//! The command as an effect.

use super::args::{KeepOutput, RunArgs};
use super::classify::{Meaning, meaning};
use super::result::ChildRun;
use super::witness::{CommandWitness, Ready};
use crate::child::locks::Lock;
use crate::child::output::{Recording, Stream};
use crate::child::prepared::{NotStarted, Order, Prepared};
use crate::child::processes;
use crate::child::signals::Arriving;
use crate::child::terminal::Terminal;
use crate::child::watch::{End, Watch, kill_group, watch};
use crate::crash::{Moment, reach};
use crate::exit;
use crate::input::reason;
use crate::text::printable;
use serde_json::Value;
use sluice::core::key::{Json, JsonPointer};
use sluice::{Ctx, Failure};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a stream may stay open after the command ended, because something it started holds it.
const DRAIN: Duration = Duration::from_secs(1);

/// How long nothing may arrive on such a stream for what was read to count as whole.
const CALM: Duration = Duration::from_millis(50);

type Started = Result<(), NotStarted>;

/// What the closure needs, and what it leaves for the answer.
#[derive(Debug)]
pub struct Performer {
    pub witness: Arc<CommandWitness>,
    pub terminal: Option<Terminal>,
    pub store_url: String,
    pub args: Arc<RunArgs>,
    pub object_id: Option<JsonPointer>,
    pub stdin: Mutex<Option<Vec<u8>>>,
    recordings: Mutex<Vec<Recording>>,
    spare: Mutex<Option<Prepared>>,
    ran: Mutex<Ran>,
}

/// What this process did for the intent.
#[derive(Debug, Default)]
pub struct Ran {
    /// The lock, until the end is known.
    pub lock: Option<Lock>,
    /// How the command ended, if it ran.
    pub run: Option<ChildRun>,
    /// Whether our own time limit ended it.
    pub timed_out: bool,
    /// The status for a command that could not be started, or was not.
    pub not_started: Option<u8>,
}

impl Performer {
    pub fn new(
        witness: Arc<CommandWitness>,
        store_url: String,
        args: Arc<RunArgs>,
        object_id: Option<JsonPointer>,
        stdin: Option<Vec<u8>>,
    ) -> Self {
        Self {
            witness,
            terminal: Terminal::to_lend(),
            store_url,
            args,
            object_id,
            stdin: Mutex::new(stdin),
            recordings: Mutex::default(),
            spare: Mutex::default(),
            ran: Mutex::default(),
        }
    }

    /// What was done, for the answer.
    pub fn ran(&self) -> Ran {
        std::mem::take(&mut self.lock_ran())
    }

    fn lock_ran(&self) -> std::sync::MutexGuard<'_, Ran> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the command, follows it to its end and says what that means.
    pub async fn perform(&self, ctx: Ctx, signals: &mut Arriving) -> Result<Value, Failure> {
        let Some(mut prepared) = self.readied(ctx.attempt()) else {
            return Err(
                Failure::not_started("the command could not be readied once more").not_to_be_repeated()
            );
        };
        reach(Moment::Claimed);
        if let Some(number) = signals.pending_ending() {
            prepared.abandon();
            return Err(self.not_started(128 + number, "it was ended by a signal before it began"));
        }
        if ctx.may_send().is_err() {
            prepared.abandon();
            return Err(self.not_started(i32::from(exit::AGAIN), "the claim was granted too late to be used"));
        }
        let group = prepared.group();
        self.ready_another(ctx.attempt(), group);
        // Everything that could fail for want of threads is there before the command may begin.
        let (watch, recordings) = match self.attend(&mut prepared) {
            Ok(attending) => attending,
            Err(error) => {
                prepared.abandon();
                let said = format!("nothing could be started beside the command: {}", reason(&error));
                return Err(self.not_started(i32::from(exit::AWAY), &said));
            }
        };
        if let Some(terminal) = self.terminal {
            terminal.lend(group);
        }
        let started = match self.stdin_of_child() {
            Ok(stdin) => self.start(prepared, self.order(&ctx), stdin, signals).await,
            Err(_) => Err(NotStarted::NotRunnable),
        };
        if let Err(why) = started {
            if let Some(terminal) = self.terminal {
                terminal.take_back();
            }
            let status = if why == NotStarted::NotFound { exit::NOT_FOUND } else { exit::CANNOT_RUN };
            let program = self.args.command.first().map(|program| program.to_string_lossy().into_owned());
            let program = printable(&program.unwrap_or_default());
            let why =
                if why == NotStarted::NotFound { "there is no such command" } else { "it cannot be run" };
            return Err(
                self.not_started(i32::from(status), &format!("{program} could not be started: {why}"))
            );
        }
        let limit = self.limit(&ctx);
        let (end, output) = self.follow(watch, recordings, signals, limit).await;
        reach(Moment::CommandEnded);
        let whose = if limit == self.args.timeout { "its time limit" } else { "its deadline allows" };
        let judged = self.judge(&ctx, end, output, whose);
        match judged {
            Err(failure) if self.is_last(&ctx).await => Err(failure.not_to_be_repeated()),
            judged => judged,
        }
    }

    fn attend(&self, prepared: &mut Prepared) -> std::io::Result<(Watch, Vec<Recording>)> {
        let (stdout, stderr) = prepared.outputs();
        let mut recordings = Vec::new();
        if let (Some(stdout), Some(stderr)) = (stdout, stderr) {
            recordings.push(self.record(stdout, std::io::stdout())?);
            recordings.push(self.record(stderr, std::io::stderr())?);
        }
        Ok((Watch::new(prepared.process(), prepared.group())?, recordings))
    }

    fn not_started(&self, status: i32, said: &str) -> Failure {
        self.lock_ran().not_started = Some(u8::try_from(status).unwrap_or(exit::CANNOT_RUN));
        // Whatever stood in the way stands there a moment later too.
        Failure::not_started(said).not_to_be_repeated()
    }

    /// The launcher of this attempt: the first one was readied for the claim.
    fn readied(&self, attempt: u32) -> Option<Prepared> {
        if attempt > 1 {
            let spare = self.lock_spare().take();
            // Without one, nothing of the earlier attempt is left in the group that the record names: the lock alone proves
            // that this one lives.
            return spare.or_else(|| self.witness.another(self.lock_ran().lock.as_ref()?, None).ok());
        }
        let Ready { lock, prepared } = self.witness.take()?;
        self.lock_ran().lock = Some(lock);
        Some(prepared)
    }

    fn ready_another(&self, attempt: u32, group: u32) {
        if attempt < self.args.tries() {
            let spare =
                self.lock_ran().lock.as_ref().and_then(|lock| self.witness.another(lock, Some(group)).ok());
            *self.lock_spare() = spare;
        }
    }

    /// Puts away what was readied for an attempt that never came.
    pub fn put_away(&self) {
        let spare = self.lock_spare().take();
        if let Some(spare) = spare {
            spare.abandon();
        }
    }

    /// Whether no other try may follow: a command that marks has passed its mark, or left something running that could
    /// still pass it beside the next one, under the same claim.
    async fn is_last(&self, ctx: &Ctx) -> bool {
        let is_tried_again = ctx.attempt() < self.args.tries();
        // What is left is looked for first: what ends in between has passed its mark by then or never will.
        self.args.marked
            && is_tried_again
            && (self.left_something_behind() || !matches!(ctx.is_marked().await, Ok(false)))
    }

    fn left_something_behind(&self) -> bool {
        let spare = self.lock_spare().as_ref().map(|spare| (spare.group(), spare.process()));
        let is_in_group = spare.is_some_and(|(group, process)| processes::has_other_member(group, process));
        let own = spare.map(|(_, process)| process);
        let held = |lock: &Lock| processes::is_open_elsewhere(lock.file(), own);
        is_in_group || self.lock_ran().lock.as_ref().is_some_and(held)
    }

    fn lock_spare(&self) -> std::sync::MutexGuard<'_, Option<Prepared>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the command may run: its own limit, or what is left until the deadline.
    fn limit(&self, ctx: &Ctx) -> Option<Duration> {
        self.args.timeout.into_iter().chain(ctx.until_deadline()).min()
    }

    fn order(&self, ctx: &Ctx) -> Order {
        let environment = [
            ("SLUICE_KEY", ctx.key().to_string()),
            ("SLUICE_NAMESPACE", ctx.namespace().to_string()),
            ("SLUICE_CLAIM", ctx.claim().to_string()),
            ("SLUICE_EPOCH", ctx.epoch().0.to_string()),
            ("SLUICE_ATTEMPT", ctx.attempt().to_string()),
            ("SLUICE_DOWNSTREAM_KEY", ctx.downstream_key().to_owned()),
            ("SLUICE_STORE", self.store_url.clone()),
        ];
        Order { environment: BTreeMap::from(environment.map(|(name, value)| (name.to_owned(), value))) }
    }

    /// Our own stdin, or a pipe that a thread fills with what was read as part of the request.
    fn stdin_of_child(&self) -> std::io::Result<OwnedFd> {
        let text = self.stdin.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(text) = text else {
            return rustix::io::dup(rustix::stdio::stdin()).map_err(Into::into);
        };
        let (reader, mut writer) = std::io::pipe()?;
        // A command that does not read to the end is not worth an error.
        std::thread::Builder::new()
            .name("sluice-stdin".to_owned())
            .spawn(move || drop(writer.write_all(&text)))?;
        Ok(reader.into())
    }

    async fn follow(
        &self,
        watching: Watch,
        mut recordings: Vec<Recording>,
        signals: &mut Arriving,
        limit: Option<Duration>,
    ) -> (End, Option<(Stream, Stream)>) {
        let end = watch(watching, signals, limit, self.terminal).await;
        if end.timed_out {
            // It was killed with its group.
            self.put_away();
        }
        let [stdout, stderr] = recordings.as_mut_slice() else { return (end, None) };
        stdout.command_ended();
        stderr.command_ended();
        let both = async {
            stdout.ended().await;
            stderr.ended().await;
        };
        let _ = tokio::time::timeout(DRAIN, both).await;
        let output = (stdout.stream(CALM).await, stderr.stream(CALM).await);
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner).extend(recordings);
        (end, Some(output))
    }

    fn record(
        &self,
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> std::io::Result<Recording> {
        let to = (!self.args.json).then(|| Box::new(to) as Box<dyn Write + Send>);
        Recording::start(from, to)
    }

    /// Waits until everything the command wrote is passed on: the outcome is recorded by then, and only our own reader
    /// decides how long it takes. A signal ends it.
    pub async fn passed_on(&self, waiting: &mut Arriving) {
        let recordings = std::mem::take(&mut *self.recordings.lock().unwrap_or_else(PoisonError::into_inner));
        for mut recording in recordings {
            tokio::select! {
                biased;
                () = recording.passed_on() => {}
                _ = waiting.next_ending() => return,
            }
        }
    }

    /// Lets the command begin. A start that hangs, on a file system that does not answer, ends like the command would:
    /// by a signal or by its time limit. Nobody knows then how far it came.
    async fn start(
        &self,
        prepared: Prepared,
        order: Order,
        stdin: OwnedFd,
        signals: &mut Arriving,
    ) -> Started {
        let group = prepared.group();
        let mut starting = tokio::task::spawn_blocking(move || prepared.start(&order, stdin));
        let limit = self.args.timeout.unwrap_or(Duration::MAX);
        tokio::select! {
            biased;
            started = &mut starting => return started.unwrap_or(Err(NotStarted::NotRunnable)),
            _ = signals.next_ending() => {}
            () = tokio::time::sleep(limit) => {}
        }
        kill_group(group);
        starting.await.unwrap_or(Err(NotStarted::NotRunnable))
    }

    fn judge(
        &self,
        ctx: &Ctx,
        end: End,
        output: Option<(Stream, Stream)>,
        whose: &str,
    ) -> Result<Value, Failure> {
        let run = ChildRun::new(end, output);
        let value = serde_json::to_value(&run).unwrap_or_default();
        if let Some(object_id) = self.object_in(&run) {
            ctx.object_id(object_id);
        }
        let said = said(end, whose);
        {
            let mut ran = self.lock_ran();
            ran.run = Some(run);
            ran.timed_out = end.timed_out;
        }
        let failure = match meaning(end, &self.args.exit) {
            Meaning::Succeeded => return Ok(value),
            Meaning::Failed => Failure::permanent(said),
            Meaning::Released => Failure::transient(said),
            Meaning::Unknown => Failure::unknown(said),
            Meaning::Unclassified => Failure::unclassified(said),
        };
        let failure = failure.with_detail(&value);
        Err(if end.was_asked { failure.not_to_be_repeated() } else { failure })
    }

    fn object_in(&self, run: &ChildRun) -> Option<String> {
        let output = Json::parse(&run.stdout.kept()).ok()?;
        match output.pointer(self.object_id.as_ref()?)? {
            Json::String(text) => Some(text.clone()),
            other => Some(other.canonical()),
        }
    }

    /// Whether output is recorded at all.
    pub fn records(args: &RunArgs) -> bool {
        args.keep_output != KeepOutput::None
    }
}

fn said(end: End, whose: &str) -> String {
    let how = match (end.exit, end.signal) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in a way that could not be seen".to_owned(),
    };
    if end.timed_out {
        format!("the command took longer than {whose} and {how}")
    } else {
        format!("the command {how}")
    }
}
