type Answer = { status: number; token?: string };

export async function refresh(send: () => Promise<Answer>, retries = 3): Promise<string | null> {
  for (let attempt = 0; attempt < retries; attempt++) {
    let answer: Answer;
    try {
      answer = await send();
    } catch {
      continue;
    }
    if (answer.status === 200) {
      if (answer.token) {
        return answer.token;
      } else if (attempt + 1 === retries) {
        return null;
      }
    }
    switch (answer.status) {
      case 401:
        return null;
      case 403:
        return null;
      case 410:
        return null;
      default:
        continue;
    }
  }
  return null;
}
