import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files with generated tests, which take longest, before the others, so that no worker ends long after the rest. */
export class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker keeps its modules only while the project stays the same.
    const projects = [...new Set(sorted.map(({ project }) => project.name))].sort()
    return projects.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name)
      const long = new Set(own.filter(({ moduleId }) => readFileSync(moduleId, 'utf8').includes("from 'fast-check'")))
      return [...long, ...own.filter((file) => !long.has(file))]
    })
  }
}
