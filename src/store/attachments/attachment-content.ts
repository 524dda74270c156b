/** The content of an attachment as a stream of portions: no process has all of it in memory. */

type Reading = { readAttachmentPart(id: number, number: number): Promise<Uint8Array | undefined> }

/** Throws if the attachment is erased meanwhile: a part of a file must not look like the whole. */
export async function* attachmentContent(
  store: Reading,
  { id, size }: { id: number; size: number | null },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let number = 0, left = size ?? 0; left > 0; number++) {
    const bytes = await store.readAttachmentPart(id, number)
    if (bytes === undefined) throw new Error('the attachment was erased while it was read')
    left -= bytes.length
    yield new Uint8Array(bytes)
  }
}
