import { limiterKindNames } from '../../reference/limits/windows.ts'
import {
  Argument,
  day,
  factor,
  gather,
  integer,
  lengthOfTime,
  Option,
  percentage,
  quotaList,
  share,
} from './arguments.ts'
import { command, common } from './common-options.ts'

export { judge, proxy } from './traffic/traffic-options.ts'

// The commands with their flags, from which the types of their options follow.

/** The options of a command as they are given. */
export type OptionsOf<C extends () => { opts(): unknown }> = Readonly<ReturnType<ReturnType<C>['opts']>>

export const init = () =>
  command('init', 'ask a target what it offers, by reads, and write its target file')
    .addOption(common.pods)
    .addOption(common.queue)
    .option('--endpoint <id>', 'with --queue: the endpoint that a run may send jobs to')
    .addOption(common.lb)
    .addOption(common.management)
    .option('--template <id>', 'with --management: the template that a run may create endpoints from')
    .option('--key-variable <name>', 'the environment variable that holds a key with all permissions', 'API_KEY')
    .option('--create', 'also create a pod, after one that tries the CPU flavor, and remove both', false)
    .option('--target <file>', 'the target file to write', 'plumbline.yaml')
    .option('--force', 'overwrite the target file', false)

export const check = () =>
  command('check', 'judge a target, or the built-in reference')
    .addOption(common.target)
    .addOption(common.reference)
    .addOption(common.only)
    .addOption(common.rules)
    .option('--profile <list>', 'profiles to judge, separated by commas (default: core; of the reference: all)')
    .addOption(common.out)
    .addOption(common.format)
    .addOption(common.seed)
    .option('--strict', 'unclaimed rules make the run incomplete', false)
    .option('--keep', 'leave the pods of failed rules alive', false)
    .option('--baseline <run>', 'exit with 0 unless something is worse than in this run (its folder or results.json)')
    .addOption(
      new Option('--rerun-failed <run>', 'only the rules that failed in this run or were not verified').conflicts([
        'only',
        'profile',
      ]),
    )
    .addOption(new Option('--fail-fast', 'end the run when a rule fails').default(false).conflicts('load'))
    .option('--watch <path>', 'run again whenever this file or folder changes, until Ctrl-C')
    .addOption(common.quiet)
    .addOption(common.budget)
    .addOption(common.maxCost)
    .option('--max-pods <number>', 'pods that pods.create.fuzz may make (default: 4 in real time, else 20)', integer(0))
    .option('--start <command>', 'a shell command that serves the target; it is ended with its process group')
    .option(
      '--wait <length>',
      'wait until the target answers, at most this long (default with --start: 60s)',
      lengthOfTime,
    )
    .option('--load', 'drive the rate limits with k6 after all other rules, and judge them in the same run')
    .addOption(common.owned)
    .addOption(common.maxRequests)
    .addOption(common.maxSeconds)
    .addOption(common.windowScale)

export const plan = () =>
  command('plan', 'show how long a run takes and which rules a budget leaves out; asks the target for its quotas')
    .addOption(common.target)
    .addOption(common.reference)
    .addOption(common.only)
    .option('--profile <list>', 'profiles, separated by commas (default: core; of the reference: all)')
    .addOption(common.budget)

export const load = () =>
  command('load', 'drive a target with k6: its rate limits (smoke, limits, pods), or all operations (mixed, soak)')
    .addArgument(new Argument('<kind>', 'the kind of load').choices(['smoke', 'limits', 'pods', 'mixed', 'soak']))
    .option('--target <file>', 'the target file; its endpoint marked dedicated is flooded and purged')
    .option('--duration <length>', 'how long mixed (default: 30s) or soak (default: 1h) lasts', lengthOfTime)
    .option('--segments <number>', 'limits: share each plan among so many processes of k6', integer(1, 16))
    .addOption(
      new Option('--emit <form>', 'limits: send nothing; write the load for the k6 operator into --out').choices([
        'k8s',
      ]),
    )
    .option('--image <image>', 'with --emit: the image with k6 and plumbline (default: plumbline)')
    .option('--tolerance <percent>', 'soak: the smallest slowdown that counts, such as 5% (default: 10%)', percentage)
    .addOption(common.only)
    .option('--profile <list>', 'profiles to judge, separated by commas (default: all but lab)')
    .option(
      '--out <folder>',
      'write the record into this folder; of limits and pods also results.json, junit.xml and report.html, of mixed and soak windows.html',
    )
    .addOption(common.owned)
    .addOption(common.maxRequests)
    .addOption(common.maxSeconds)
    .addOption(common.windowScale)
    .addOption(common.format)
    .addOption(common.quiet)

export const merge = () =>
  command('merge', 'join the results of check and load of one target')
    .argument('<folder...>', 'folders that hold results.json')
    .requiredOption('--out <folder>', 'write results.json, junit.xml and report.html into this folder')
    .addOption(common.format)
    .addOption(common.quiet)

export const compare = () =>
  command('compare', 'show what changed between two runs; exits with 1 if the newer one is worse')
    .argument('<old>', 'the folder of a run, or its results.json')
    .argument('<new>', 'the same of a later run')
    .addOption(new Option('--format <format>', 'the format').choices(['text', 'json', 'markdown']).default('text'))

export const regress = () =>
  command('regress', 'compare the speed, errors and verdicts of a candidate with those of a baseline')
    .requiredOption('--baseline <run>', 'a target file, or the folder of an earlier regress --out')
    .requiredOption('--candidate <file>', 'the target file of the candidate')
    .option('--rounds <number>', 'rounds of requests to each target', integer(1, 500), 20)
    .option('--operation <id>', 'measure only this one; can be repeated (default: all that create no pods)', gather, [])
    .addOption(
      new Option('--tolerance <percent>', 'the smallest slowdown that counts')
        .argParser(percentage)
        .default(0.05, '5%'),
    )
    .addOption(common.seed)
    .option('--no-check', 'measure only; do not compare verdicts')
    .addOption(common.only)
    .option('--profile <list>', 'profiles to judge, separated by commas (default: core)')
    .option('--out <folder>', 'keep the measurements and both checks in this folder, as a later baseline')
    .option('--json', 'print the result as JSON', false)

export const accept = () =>
  command('accept', 'accept failures of a run until a day: writes them into known of the target file')
    .argument('<run>', 'the folder of a run, or its results.json')
    .argument('[rule...]', 'ids of rules that failed (default: all that are not accepted yet)')
    .requiredOption('--until <day>', 'the last day of their entries (key expires), as YYYY-MM-DD', day)
    .requiredOption('--reason <text>', 'why they are accepted')
    .option('--target <file>', 'the target file (default: that of the run)')

export const sweep = () =>
  command('sweep', 'remove what interrupted runs left behind')
    .argument('[run...]', 'ids of runs (default: all that have a ledger in .plumbline/runs)')
    .option('--target <file>', 'the target file (default: the one that the run was started with)')
    .option('--all-hosts', 'also sweep runs of other machines, all of which must have ended', false)
    .option('--forget', 'list what cannot be removed of the named runs, and give it up', false)

export const serve = () =>
  command('serve', 'serve the reference implementation on this machine')
    .option('--port <number>', 'the port; 0 takes any free port', integer(0, 65_535), 8080)
    .option('--host <address>', 'the address to listen on; 0.0.0.0 lets other machines in', '127.0.0.1')
    .addOption(new Option('--clock <kind>', 'the clock of the reference').choices(['real', 'control']).default('real'))
    .option('--defect <id>', 'serve it with a defect of the proof (see --list); can be repeated', gather, [])
    .option('--latitude <id>', 'serve it with a latitude of the proof (see --list); can be repeated', gather, [])
    .option('--list', 'list the defects and latitudes instead, each with its sentence', false)
    .option('--json', 'with --list: as JSON', false)
    .addOption(common.onlyVariants)
    .option('--print-target <file>', 'write the target file once the port answers')
    .option('--worker <command>', 'a process that executes jobs (spec/worker.md), such as "python3 suites/worker"')
    .option('--probe <command>', 'a process for each pod of plumbline/probe, such as "python3 suites/probe/probe.py"')
    .addOption(new Option('--limiter <kind>', 'how requests are counted').choices(limiterKindNames))
    .option('--window-scale <factor>', 'scale the windows of the queue limits, such as 0.1', factor)
    .option('--quotas <list>', 'requests in each window, such as minute=60,hour=3000,day=50000', quotaList)
    .option('--latency <length>', 'delay each response, such as 200ms', lengthOfTime)
    .option('--fail <rate>', 'let this share of the requests fail with 500, such as 0.1', share, 0)
    .option('--state <file>', 'endpoints and pods that are there from the beginning')
    .option('--log', 'print a line for each request', false)

export const rules = () =>
  command('rules', 'list the rules').addOption(common.only).option('--json', 'as a JSON array', false)

export const explain = () =>
  command('explain', 'explain a rule: its requests, clauses, defects, and how to rerun it').argument('<rule>', 'its id')

export const prove = () =>
  command('prove', 'prove that every rule can fail and that none fails wrongly')
    .addOption(common.onlyVariants)
    .option('--rules <folder>', 'prove the rules of this folder instead (docs/library.md)')
    .option('--matrix', 'judge every rule on every defect', false)
    .option('--malformed', 'instead, change each field of each response of the reference: no rule may crash', false)
    .option('--served', 'judge over HTTP, on a port for each instance, instead of in process', false)
    .option(
      '--sample <number>',
      'with --malformed: changes to draw; with --served: defects to draw, and a quarter as many latitudes',
      integer(1),
    )
    .option('--seed <number>', 'with --sample: the seed of the draw', integer(0))
    .option('--seeds <number>', 'instead, judge the latitudes with so many seeds', integer(1, 9_999))
    .option('--draws <number>', 'instead, count the values that the rules draw with so many seeds', integer(1, 9_999))
    .option('--json <file>', 'write the proof into this file')
    .option('--quiet', 'print only the last line and errors', false)

export const fuzz = () =>
  command('fuzz', 'send generated bodies to actions and PATCH of pods, and judge each response by the description')
    .addOption(common.target)
    .addOption(common.reference)
    .option('--runs <number>', 'how many cases (default: 10000)', integer(1))
    .option('--duration <length>', 'how long, such as 30s or 5m', lengthOfTime)
    .option('--seed <number>', 'the cases of an earlier run', integer(0))
    .option('--path <path>', 'only the cases of that seed that a finding names, such as 3,56')
    .addOption(
      new Option('--walk [plane]', 'send sequences of calls on several pods or jobs instead (default: 200)').choices([
        'pods',
        'queue',
      ] as const),
    )
    .option('--json <file>', 'write the findings into this file')

export const replay = () =>
  command('replay', 'judge a record again, without the target')
    .argument('<folder>', 'the folder of a run')
    .addOption(common.rules)
    .addOption(common.out)
    .addOption(common.format)

export const certify = () =>
  command('certify', 'judge a target three times, strictly, and write a certificate if it conforms')
    .addOption(common.target)
    .option('--profile <list>', 'profiles to judge, separated by commas (default: all that the target claims)')
    .option('--out <folder>', 'write the certificate into this folder, new or empty', 'certificate')
    .option('--key <file>', 'sign with this private key (Ed25519, PEM)')
    .option('--sign-with <command>', 'sign with a shell command instead; --key then names its public key')
    .option('--seed <number>', 'seed of the first run; the others take the next two', integer(0, 2 ** 32))
    .addOption(common.quiet)
    .option('--budget <length>', 'end each run after it (default: 8 days in real time, 30m otherwise)', lengthOfTime)
    .addOption(common.maxCost)
    .addOption(common.owned)
    .addOption(common.maxRequests)
    .addOption(common.maxSeconds)
    .addOption(common.windowScale)

export const verify = () =>
  command('verify', 'check a certificate without its target: signature, digests, and every verdict again')
    .argument('<folder>', 'the folder of a certificate')
    .option('--key <file>', 'the public key that must have signed it (Ed25519, PEM)')

export const registry = () =>
  command('registry', 'verify each certificate in a folder and write a page of them')
    .argument('<folder>', 'a folder with NAME/ for each certificate, and the public key of its vendor in NAME.pem')
    .option('--out <file>', 'the page to write (default: index.html in the folder)')

export const doctor = () =>
  command('doctor', 'show what a target file claims, how many rules that opens, and what to add')
    .addOption(common.target)
    .addOption(common.reference)
    .option('--fix', 'ask the target what it offers, and add what was seen to the target file', false)

export const completion = () =>
  command('completion', 'print a script that completes commands, flags and rules in a shell').addArgument(
    new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']),
  )

export const complete = () =>
  command('complete', 'print what may come next; called by the scripts of completion').argument('[words...]')
