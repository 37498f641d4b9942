/** The most that is read of one file: 500 MiB. JavaScript holds no text much longer, and no cluster comes near. */
export const MAX_INPUT_BYTES: number = 500 * 2 ** 20

/** All that a stream gives. Rejects as soon as that is more than `limit` bytes: devices such as `/dev/zero` never end. */
export async function readAll(stream: AsyncIterable<Uint8Array>, limit: number = MAX_INPUT_BYTES): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw new Error(`longer than the ${limit / 2 ** 20} MiB that are read at most`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
