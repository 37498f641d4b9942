import { execFileSync } from 'node:child_process'

/** The commit after which subjects are checked. */
const BASE = '916492547be043e42346e402f7797d16a92324bf'
const LONGEST = 72

/** The areas of commits, as CONTRIBUTING.md lists them. A subject may have several: `explain, verify: …`. */
export const AREAS = [
  ...['types', 'compiler', 'targets', 'dataplane', 'tracker', 'trace', 'compare', 'explain', 'diagnose', 'verify'],
  ...['proxy', 'cli', 'playground', 'docs', 'tests', 'scripts'],
]
/** Areas of older commits are not checked. */
const FIRST_DAY = '2026-11-30'

/** Returns messages about invalid commit subjects. */
export function checkSubjects(commits) {
  return commits.flatMap(({ id, subject, date }) => {
    const isComplete = /^[a-z][\w./()@, -]*: \S/.test(subject)
    const areas = isComplete && date >= FIRST_DAY ? subject.slice(0, subject.indexOf(':')).split(', ') : []
    const unknown = areas.filter((area) => !AREAS.includes(area))
    const problems = [
      ...(isComplete ? [] : ['expected "area: summary"']),
      ...unknown.map((area) => `unknown area ${area} (expected ${AREAS.join(', ')})`),
      ...(subject.length > LONGEST ? [`${subject.length} characters (expected at most ${LONGEST})`] : []),
    ]
    return problems.map((problem) => `commit ${id} "${subject}": ${problem}`)
  })
}

/** Returns the commits since the base without merges; none if the history is not available, as in a shallow clone. */
export function readCommits(repository) {
  const git = (...args) =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    git('merge-base', '--is-ancestor', BASE, 'HEAD')
  } catch {
    return []
  }
  return git('log', '--no-merges', '--format=%h %as %s', `${BASE}..HEAD`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id, date, ...words] = line.split(' ')
      return { id, date, subject: words.join(' ') }
    })
}
