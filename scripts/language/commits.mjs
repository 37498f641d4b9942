import { execFileSync } from 'node:child_process'

/** The commit after which subjects are checked. */
const BASE = '916492547be043e42346e402f7797d16a92324bf'
const LONGEST = 72

/** Returns messages about invalid commit subjects. */
export function checkSubjects(commits) {
  return commits.flatMap(({ id, subject }) => {
    const problems = [
      ...(/^[a-z][\w./()@, -]*: \S/.test(subject) ? [] : ['expected "area: summary"']),
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
  return git('log', '--no-merges', '--format=%h %s', `${BASE}..HEAD`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
}
