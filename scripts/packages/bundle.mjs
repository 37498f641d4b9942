import { rolldown } from 'rolldown'

/** The text (`code`) of one file that holds a module and all it imports, whose files are `modules`. */
export async function bundle({ input, platform, format, minify = false, plugins = [], conditions }) {
  const build = await rolldown({ input, platform, plugins, resolve: { conditionNames: conditions } })
  const { output } = await build.generate({ format, minify, comments: false, codeSplitting: false })
  const [{ code, moduleIds }] = output
  return { code, modules: moduleIds }
}
