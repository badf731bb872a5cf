/** The oldest Node that the dependencies run on. */
const OLDEST_NODE = [20, 19];

/** Where a Redis server comes from, per package manager; the first one on the machine is used. */
const REDIS_PACKAGES = [
  {
    manager: 'apt-get',
    root: true,
    commands: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', '--no-install-recommends', 'redis-server'],
    ],
  },
  { manager: 'dnf', root: true, commands: [['dnf', 'install', '-y', 'valkey']] },
  { manager: 'apk', root: true, commands: [['apk', 'add', '--no-cache', 'redis']] },
  { manager: 'brew', root: false, commands: [['brew', 'install', 'redis']] },
];

/**
 * What has to be done before the program can run, in order; nothing where all is there.
 * A `refuse` step is the last one: what it names can't be made from here.
 */
export function planSteps(facts, wanted = { build: true, redis: true }) {
  if (!isNewEnough(facts.nodeVersion)) return [refuseNode(facts.nodeVersion)];
  return [
    ...installSteps(facts.dependencies),
    ...(wanted.build ? buildSteps(facts.build) : []),
    ...(wanted.redis ? redisSteps(facts.redis) : []),
  ];
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function refuseNode(version) {
  const oldest = OLDEST_NODE.join('.');
  return {
    kind: 'refuse',
    message: `Node ${version} is too old: ${oldest} or newer is needed. Install a current one from https://nodejs.org and try again.`,
  };
}

function installSteps(dependencies) {
  if (dependencies === 'installed') return [];
  const why = dependencies === 'missing' ? 'they are missing' : 'they differ from package-lock.json';
  return [{ kind: 'install', message: `Installing dependencies with npm ci (${why}).` }];
}

function buildSteps(build) {
  if (build === 'fresh') return [];
  const why = build === 'missing' ? 'there is no dist/' : 'a source file is newer than dist/';
  return [{ kind: 'build', message: `Building (${why}).` }];
}

function redisSteps(redis) {
  if (redis.url || redis.server !== null) return [];
  const source = REDIS_PACKAGES.find(({ manager }) => redis.managers.includes(manager));
  if (source === undefined) return [refuseRedis('and no package manager that could install one')];
  if (!source.root || redis.root) return [installRedis(source.manager, source.commands)];
  if (!redis.sudo) return [refuseRedis(`and installing one with ${source.manager} needs root or sudo`)];
  return [installRedis(`sudo ${source.manager}`, source.commands.map(withSudo))];
}

function installRedis(by, commands) {
  return { kind: 'redis', message: `Installing a Redis server with ${by} (none is on the PATH).`, commands };
}

/**
 * `-n`: sudo must not ask for a password where nobody may be there to answer; `env`: it drops the
 * variables otherwise.
 */
function withSudo(command) {
  return ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', ...command];
}

/** What to do where no Redis server can be had, as a step that ends the plan. */
export function refuseRedis(why) {
  return {
    kind: 'refuse',
    message: [
      `There is no Redis server: REDIS_URL is not set, neither redis-server nor valkey-server is on the PATH, ${why}.`,
      'One of these puts it right:',
      '  - install redis-server (7 or newer) or valkey-server by hand, so that it is on the PATH;',
      '  - REDIS_URL=redis://… for a server that you have;',
      '  - docker compose up -d redis, and the REDIS_URL that docker-compose.yml names.',
    ].join('\n'),
  };
}
