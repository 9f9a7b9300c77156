#include "server/engine/beats.h"

#include "server/engine/ticket.h"

namespace framegate::server {

Beats::Beats(absl::Duration interval) : interval_(interval), thread_([this] { Run(); }) {}

Beats::~Beats() {
  {
    absl::MutexLock lock(&mutex_);
    ends_ = true;
  }
  thread_.join();
}

void Beats::Add(const std::shared_ptr<Ticket>& ticket) {
  absl::MutexLock lock(&mutex_);
  tickets_.push_back(ticket);
}

void Beats::Run() {
  while (true) {
    std::vector<std::shared_ptr<Ticket>> alive;
    {
      absl::MutexLock lock(&mutex_);
      auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ends_ || !tickets_.empty(); };
      mutex_.Await(absl::Condition(&has_work));
      mutex_.AwaitWithTimeout(absl::Condition(&ends_), interval_);
      if (ends_)
        return;
      std::erase_if(tickets_, [&](const std::weak_ptr<Ticket>& held) {
        std::shared_ptr<Ticket> ticket = held.lock();
        if (ticket == nullptr || ticket->IsFinished())
          return true;
        alive.push_back(std::move(ticket));
        return false;
      });
    }
    for (const std::shared_ptr<Ticket>& ticket : alive)
      ticket->Beat();
  }
}

}  // namespace framegate::server
