type Answer = { status: number; token?: string };

const FINAL = new Set([401, 403, 410]);

export async function refresh(send: () => Promise<Answer>, retries = 3): Promise<string | null> {
  for (let attempt = 0; attempt < retries; attempt++) {
    const answer = await send().catch(() => null);
    if (answer?.status === 200 && answer.token) {
      return answer.token;
    }
    if (answer && FINAL.has(answer.status)) {
      return null;
    }
  }
  return null;
}
